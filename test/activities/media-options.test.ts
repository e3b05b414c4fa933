import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { mediaRequestSchema } from '../../contract/kinds/media.ts';
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

describe('the height of a video', () => {
  const page = (...sizes: readonly (readonly [string, number, number])[]): void => {
    const formats = sizes.map(([file, width, height]) =>
      maker.format(file, { vcodec: 'avc1.42', acodec: 'none', width, height }),
    );
    maker.site.set('/recorded/sizes', { body: { id: 'sizes', title: 'sizes', formats } });
  };

  it.each<[MediaOptions | undefined, string]>([
    [undefined, 'h264 360'],
    [{ max_height: 1920 }, 'h264 360'],
    [{ max_height: 1280 }, 'h264 180'],
  ])(
    'is that of its shorter side for the operator, and of its longer side for the caller: %j',
    async (options, shown) => {
      page(['180.mp4', 540, 960], ['360.mp4', 1080, 1920]);
      expect((await maker.make('video', options, { id: 'sizes' })).streams).toEqual([shown]);
    },
  );

  it.each<[MediaOptions | undefined]>([[undefined], [{ container: 'mkv' }]])(
    'is refused without a transfer if none is accepted: %j',
    async (options) => {
      page(['tall.mp4', 3840, 2160]);
      maker.site.set('/tall.mp4', { body: '', when: () => new Promise(() => undefined) });
      await expect(maker.make('video', options, { id: 'sizes' })).rejects.toMatchObject({
        message: 'The pictures of the video are 2160 pixels tall; this service accepts 1080.',
        details: ['too_large'],
      });
    },
  );
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

  it('is written into the file, whose pictures are copied', async () => {
    const { languages, streams, encoding } = await maker.make('video', { sound_language: 'de' });
    expect([languages, streams, encoding]).toEqual([['deu'], ['aac', 'h264 360'], 'copied']);
  });

  it.each([
    ['ger', 'de'],
    ['deu', 'de'],
    ['iw', 'he'],
    ['pt_BR', 'pt-BR'],
    ['por-BR-x', 'pt-BR'],
    ['en_US', 'en'],
  ])('may be named in another way by the page: %s for %s', async (language, sound_language) => {
    const formats = [maker.format('en.m4a', { vcodec: 'none', acodec: 'mp4a.40.2', language })];
    maker.site.set('/recorded/named', { body: { id: 'named', title: 'named', formats } });
    expect((await maker.make('audio', { sound_language }, { id: 'named' })).streams).toEqual(['aac']);
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
    const optionsWith = (wait_for_start: boolean) =>
      optionsOf(mediaRequestSchema.parse({ url: 'https://a.example/b', format: 'video', wait_for_start }));
    expect(optionsWith(false)).toBeUndefined();
    expect(optionsWith(true)).toEqual({ wait_for_start: true });
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
