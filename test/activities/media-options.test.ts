import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { optionsOf, type MediaOptions } from '../../contract/kinds/media-options.ts';
import { startMediaMaker, type MediaMaker } from '../helpers/media-maker.ts';
import { addTalk, TALK_SECONDS } from '../helpers/talk-page.ts';

/** In seconds since the epoch. */
const STARTS_AT = 4_102_444_800;

let maker: MediaMaker;
beforeAll(async () => {
  maker = await startMediaMaker();
  await addTalk(maker);
  const page = (id: string, facts: object): void => {
    maker.site.set(`/recorded/${id}`, { body: { id, title: id, formats: [], ...facts } });
  };
  page('only-mp4', { formats: [maker.format('180.mp4', { height: 180 })] });
  page('heard', { formats: [maker.format('en.m4a', { vcodec: 'none', acodec: 'mp4a.40.2' })] });
  page('seen', { formats: [maker.format('180.mp4', { vcodec: 'avc1.42', acodec: 'none' })] });
  page('described', {
    formats: [
      maker.format('de.m4a', { vcodec: 'none', acodec: 'mp4a.40.2', language: 'de' }),
      maker.format('en.m4a', { vcodec: 'none', acodec: 'mp4a.40.2', language: 'en-desc', language_preference: -10 }),
    ],
  });
  page('soon', { live_status: 'is_upcoming', release_timestamp: STARTS_AT });
  page('nothing', {});
  page('cut', { duration: TALK_SECONDS, formats: [maker.format('cut.m4a', { vcodec: 'none' })] });
}, 120_000);
afterAll(() => maker.stop());

describe('containers and codecs', () => {
  it.each<['audio' | 'video', MediaOptions, string[], string]>([
    ['video', { max_height: 360 }, ['h264 360', 'aac'], 'copied'],
    ['video', { max_height: 359 }, ['h264 180', 'aac'], 'copied'],
    ['video', { max_height: 100 }, ['h264 180', 'aac'], 'copied'],
    ['video', { container: 'mkv' }, ['vp9 360', 'aac'], 'copied'],
    ['video', { container: 'webm' }, ['vp9 360', 'opus'], 'copied'],
    ['video', { codec: 'vp9' }, ['vp9 360', 'aac'], 'copied'],
    ['video', { codec: 'av1' }, ['h264 360', 'aac'], 'copied'],
    ['audio', { container: 'opus' }, ['opus'], 'copied'],
    ['audio', { container: 'opus', bit_rate: 64 }, ['opus'], 'converted'],
    ['audio', { container: 'opus', bit_rate: 512 }, ['opus'], 'converted'],
    ['audio', { container: 'mp3', bit_rate: 96 }, ['mp3'], 'converted'],
    ['audio', { bit_rate: 64 }, ['aac'], 'converted'],
    ['audio', { container: 'flac' }, ['flac'], 'converted'],
    ['audio', { container: 'wav' }, ['pcm_s16le'], 'converted'],
  ])('makes %s with %j: %j, %s', async (format, options, streams, encoding) => {
    const made = await maker.make(format, options);
    expect([made.streams, made.encoding]).toEqual([streams.toSorted(), encoding]);
    expect(made.seconds).toBeCloseTo(TALK_SECONDS, -0.5);
  });

  it.each<['audio' | 'video', MediaOptions, string, string]>([
    ['video', { container: 'webm' }, 'unsupported', 'only-mp4'],
    ['video', { max_height: 360 }, 'no_video', 'heard'],
    ['video', { container: 'mkv' }, 'no_video', 'heard'],
    ['audio', { container: 'mp3' }, 'no_audio', 'only-mp4'],
    ['audio', { bit_rate: 64 }, 'no_audio', 'seen'],
  ])('fails if the page has none of them: %s with %j as %s of %s', async (format, options, code, id) => {
    await expect(maker.make(format, options, { id })).rejects.toMatchObject({ details: [code] });
  });
});

it('media that end early in two downloads of different sizes are incomplete', async () => {
  const whole = await readFile(join(maker.folder, 'en.m4a'));
  const without = (bytes: number, then?: () => void): void =>
    maker.site.set('/cut.m4a', {
      ...{ type: 'audio/mp4', body: whole.subarray(0, -bytes), length: 'by closing the connection' },
      when: () => Promise.resolve(then?.()),
    });
  without(100_000, () => without(150_000));
  await expect(maker.make('audio', { container: 'mp3' }, { id: 'cut' })).rejects.toMatchObject({
    details: ['incomplete'],
  });
});

describe('the language of the sound', () => {
  it.each<[MediaOptions, number]>([
    [{ container: 'flac' }, 440],
    [{ container: 'flac', sound_language: 'de' }, 880],
    [{ container: 'flac', sound_language: 'en' }, 440],
  ])('is chosen by %j', async (options, hz) => {
    const { path } = await maker.make('audio', options);
    const filter = `bandpass=f=${String(hz)}:width_type=h:w=50,volumedetect`;
    const { stderr } = await promisify(execFile)(inject('tools').ffmpeg, [
      '-i',
      path,
      '-af',
      filter,
      '-f',
      'null',
      '-',
    ]);
    expect(Number(/mean_volume: (-?[\d.]+)/.exec(stderr)?.[1])).toBeGreaterThan(-30);
  });

  it('is written into the file', async () => {
    expect((await maker.make('video', { sound_language: 'de' })).languages).toEqual(['deu']);
  });

  it.each([
    ['talk', 'fr'],
    ['described', 'en'],
    ['heard', 'en'],
  ])('fails the job if the page does not have it: %s, %s', async (id, sound_language) => {
    const made = maker.make('audio', { sound_language }, { id });
    await expect(made).rejects.toMatchObject({ details: ['unsupported'] });
  });
});

describe('what has not started', () => {
  it('is no other subject if that is not awaited', () => {
    expect(optionsOf({ format: 'video', wait_for_start: false })).toBeUndefined();
    expect(optionsOf({ format: 'video', wait_for_start: true })).toEqual({ wait_for_start: true });
  });

  it('fails with the announced time', async () => {
    await expect(maker.make('video', { wait_for_start: true }, { id: 'soon' })).rejects.toMatchObject({
      details: ['not_started', STARTS_AT * 1000],
    });
  });

  it.each([{}, { section: { from: 1 } as never }])('is not what has no media: %j', async (options) => {
    await expect(maker.make('video', { wait_for_start: true, ...options }, { id: 'nothing' })).rejects.toMatchObject({
      details: ['no_audio'],
    });
  });

  it('is no obstacle to what has', async () => {
    const made = await maker.make('video', { wait_for_start: true, max_height: 180 });
    expect(made.streams).toEqual(['aac', 'h264 180']);
  });
});

it.each([
  ['{date} {uploader}: {title}', '2026-03-14 Evening Talks_ The bridge; at night = #1.m4a'],
  ['con', 'con_.m4a'],
  ['NUL .txt', 'NUL_ .txt.m4a'],
  ['com¹', 'com¹_.m4a'],
  ['a. . ', 'a.m4a'],
  ['👩‍👩‍👧‍👦'.repeat(20), `${'👩‍👩‍👧‍👦'.repeat(7)}.m4a`],
  ['{height}', '_.m4a'],
  ['../{id}', `_${'4e'.repeat(16)}.m4a`],
  ['𝄞'.repeat(99), `${'𝄞'.repeat(48)}.m4a`],
])('names a file by the template %s', async (template, name) => {
  expect((await maker.make('audio', { file_name: template })).name).toBe(name);
});
