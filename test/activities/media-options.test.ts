import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { BlockList } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { MockActivityEnvironment } from '@temporalio/testing';
import { ulid } from 'ulid';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { createMediaActivity } from '../../activities/media.ts';
import type { JobResult } from '../../contract/download-record.ts';
import { optionsOf, type MediaOptions } from '../../contract/kinds/media-options.ts';
import { createMedia } from '../../media/ffmpeg.ts';
import { PROXY_LIMITS, startForwardProxy } from '../../outbound/forward-proxy.ts';
import type { SponsorBlock } from '../../sources/vidnet/sponsorblock.ts';
import { createYtdlpSource } from '../../sources/vidnet/yt-dlp/yt-dlp-source.ts';
import { createDiskFiles } from '../../store/files/disk-files.ts';
import { createSpaceGuard } from '../../store/files/free-space.ts';
import { createWorkFolders } from '../../store/files/work-folders.ts';
import { runTool } from '../helpers/media.ts';
import { RecordedSite } from '../helpers/recorded-site.ts';

const SECONDS = 40;
/** The distance of key frames. */
const GROUP_SECONDS = 2;
/** In seconds since the epoch. */
const STARTS_AT = 4_102_444_800;
const LIMITS = { maxFileBytes: 200_000_000, maxMediaSeconds: 3 * 3_600, maxVideoHeight: 1080 };

let folder = '';
let site: RecordedSite;
let guard: Awaited<ReturnType<typeof startForwardProxy>>;
let received: () => number;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tapedeck-options-'));
  site = await RecordedSite.start();
  const allowedNetworks = new BlockList();
  allowedNetworks.addAddress('127.0.0.1');
  guard = await startForwardProxy({ ...PROXY_LIMITS, allowedNetworks });
  const make = async (name: string, type: string, ...args: string[]): Promise<void> => {
    await runTool(inject('tools').ffmpeg, ['-v', 'error', ...args, join(folder, name)]);
    site.set(`/${name}`, { type, body: await readFile(join(folder, name)) });
  };
  const pictures = (size: string): string[] => ['-f', 'lavfi', '-i', `testsrc=d=${String(SECONDS)}:s=${size}:r=10`];
  const sound = (hz: number): string[] => ['-f', 'lavfi', '-i', `sine=${String(hz)}:d=${String(SECONDS)}`];
  const h264 = ['-c:v', 'libx264', '-preset', 'ultrafast', '-pix_fmt', 'yuv420p', '-g', String(GROUP_SECONDS * 10)];
  const mp4 = ['-movflags', '+faststart'];
  await Promise.all([
    make('180.mp4', 'video/mp4', ...pictures('320x180'), ...h264, ...mp4),
    make('360.mp4', 'video/mp4', ...pictures('640x360'), ...h264, ...mp4),
    make(
      '360.webm',
      'video/webm',
      ...pictures('640x360'),
      ...'-c:v libvpx-vp9 -deadline realtime -cpu-used 8'.split(' '),
    ),
    make('en.m4a', 'audio/mp4', ...sound(440), ...mp4),
    make('de.m4a', 'audio/mp4', ...sound(880), ...mp4),
    make('en.webm', 'audio/webm', ...sound(440), '-c:a', 'libopus'),
    make('cover.webp', 'image/webp', ...'-f lavfi -i color=red:s=200x100:d=1 -frames:v 1'.split(' ')),
  ]);
  const looped = (name: string): string[] => ['-stream_loop', '179', '-i', join(folder, name)];
  const both = [...looped('180.mp4'), ...looped('en.m4a')];
  await make('long.mp4', 'video/mp4', ...both, '-c', 'copy', ...mp4);
  const vtt = 'WEBVTT\n\n00:00:01.000 --> 00:00:03.000\nGood evening\n\n00:00:12.000 --> 00:00:14.000\nLeft here\n';
  site.set('/en.vtt', { type: 'text/vtt', body: Buffer.from(vtt) });
  await make(
    'hls.m3u8',
    'application/vnd.apple.mpegurl',
    '-i',
    join(folder, '180.mp4'),
    '-i',
    join(folder, 'en.m4a'),
    ...'-c copy -hls_time 4 -hls_list_size 0 -hls_segment_filename'.split(' '),
    join(folder, 'part%d.ts'),
  );
  for (let part = 0; part < SECONDS / 4; part += 1) {
    site.set(`/part${String(part)}.ts`, {
      type: 'video/mp2t',
      body: await readFile(join(folder, `part${String(part)}.ts`)),
    });
  }
  const file = (name: string, more: object): object => ({
    ...{ format_id: name, url: `${site.url}/${name}`, ext: name.split('.')[1], protocol: 'http', ...more },
  });
  const silent = { acodec: 'none' };
  const unseen = { vcodec: 'none' };
  const page = {
    id: 'talk',
    title: 'The bridge; at night = #1',
    uploader: 'Evening Talks',
    artist: 'Ann & Ben',
    album: 'Autumn',
    upload_date: '20260314',
    webpage_url: `${site.url}/recorded/talk`,
    duration: SECONDS,
    language: 'en',
    chapters: [
      { title: 'On the way', start_time: 0, end_time: 10 },
      { title: 'The bridge', start_time: 10, end_time: 25 },
      { title: 'Home', start_time: 25, end_time: SECONDS },
    ],
    thumbnails: [{ url: `${site.url}/cover.webp`, id: '0' }],
    subtitles: { en: [{ url: `${site.url}/en.vtt`, ext: 'vtt' }] },
    formats: [
      file('en.webm', { ...unseen, acodec: 'opus', language: 'en', language_preference: 10, abr: 96 }),
      file('de.m4a', { ...unseen, acodec: 'mp4a.40.2', language: 'de', language_preference: -1, abr: 128 }),
      file('en.m4a', { ...unseen, acodec: 'mp4a.40.2', language: 'en', language_preference: 10, abr: 96 }),
      file('180.mp4', { ...silent, vcodec: 'avc1.42', height: 180, width: 320 }),
      file('360.webm', { ...silent, vcodec: 'vp9', height: 360, width: 640 }),
      file('360.mp4', { ...silent, vcodec: 'avc1.42', height: 360, width: 640 }),
    ],
  };
  site.set('/recorded/talk', { body: page });
  const long = { id: 'long', title: 'Long', duration: SECONDS * 180, formats: [file('long.mp4', { height: 180 })] };
  site.set('/recorded/long', { body: long });
  const soon = { id: 'soon', title: 'Soon', formats: [], live_status: 'is_upcoming', release_timestamp: STARTS_AT };
  site.set('/recorded/soon', { body: soon });
  site.set('/recorded/nothing', { body: { id: 'nothing', title: 'Nothing', formats: [] } });
  const cut = { id: 'cut', title: 'Cut', duration: SECONDS, formats: [file('cut.m4a', unseen)] };
  site.set('/recorded/cut', { body: cut });
  const hls = file('hls.m3u8', { protocol: 'm3u8_native', ext: 'mp4', height: 180 });
  site.set('/recorded/hls', { body: { id: 'hls', title: 'HLS', duration: SECONDS, formats: [hls] } });
}, 120_000);
afterAll(async () => {
  await guard.close();
  await site.stop();
  await rm(folder, { recursive: true, force: true });
});

interface Made {
  readonly name: string;
  readonly path: string;
  readonly encoding: string | undefined;
  readonly seconds: number;
  readonly tags: Readonly<Record<string, string>>;
  readonly chapters: readonly (readonly [string, number, number])[];
  readonly streams: readonly string[];
  readonly languages: readonly (string | undefined)[];
}

async function make(
  format: 'audio' | 'video',
  options: MediaOptions,
  { id = 'talk', segments = () => Promise.resolve([]) }: { id?: string; segments?: SponsorBlock['segments'] } = {},
): Promise<Made> {
  const { ffmpeg, ffprobe } = inject('tools');
  const lend = () => {
    const lent = guard.lend();
    received = lent.receivedBytes;
    return lent;
  };
  const files = join(folder, 'files');
  const activity = createMediaActivity({
    files: createDiskFiles(files),
    space: createSpaceGuard({ folders: [folder], minFreeBytes: 0 }),
    workFolders: createWorkFolders(join(folder, 'work')),
    media: createMedia({ ffmpeg, ffprobe, ...LIMITS }),
    vidnet: createYtdlpSource(site.settings({ guard: { lend }, ffmpeg, ...LIMITS })),
    sponsorBlock: { segments },
    ...{ maxMediaSeconds: LIMITS.maxMediaSeconds, fetchTimeoutMs: 60_000 },
  });
  const recordId = ulid();
  const page = { url: `${site.url}/recorded/${id}`, format, options, videoId: 'k3fP0aTz9Qw' };
  const order = { recordId, mediaId: '4e'.repeat(16), page };
  const result: JobResult = await new MockActivityEnvironment().run(activity.fetchMedia, order as never);
  const [file] = result.files!;
  const path = join(files, recordId, file!.name);
  const facts = JSON.parse(
    (
      await runTool(ffprobe, ['-v', 'error', ...'-show_format -show_streams -show_chapters -of json'.split(' '), path])
    ).toString(),
  ) as {
    format: { duration: string; tags?: Record<string, string> };
    chapters: { start_time: string; end_time: string; tags?: { title?: string } }[];
    streams: {
      codec_name?: string;
      codec_type: string;
      height?: number;
      tags?: { language?: string; [name: string]: string | undefined };
    }[];
  };
  const streamTags = facts.streams.find(({ codec_type }) => codec_type === 'audio')?.tags ?? {};
  return {
    ...{ name: file!.downloadName ?? file!.name, path, encoding: file!.encoding },
    seconds: Number(facts.format.duration),
    tags: Object.fromEntries(
      Object.entries({ ...streamTags, ...facts.format.tags }).map(([name, value]) => [name.toLowerCase(), value ?? '']),
    ),
    chapters: facts.chapters.map(
      ({ start_time, end_time, tags }) => [tags?.title ?? '', Number(start_time), Number(end_time)] as const,
    ),
    streams: facts.streams
      .filter(({ codec_type }) => ['video', 'audio', 'subtitle', 'attachment'].includes(codec_type))
      .map(
        ({ codec_name, height }) =>
          `${codec_name ?? 'file'}${height === undefined || height === 0 ? '' : ` ${String(height)}`}`,
      ),
    languages: facts.streams.filter(({ codec_type }) => codec_type !== 'video').map(({ tags }) => tags?.language),
  };
}

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
    ['audio', { container: 'mp3', bit_rate: 96 }, ['mp3'], 'converted'],
    ['audio', { bit_rate: 64 }, ['aac'], 'converted'],
    ['audio', { container: 'flac' }, ['flac'], 'converted'],
    ['audio', { container: 'wav' }, ['pcm_s16le'], 'converted'],
  ])('makes %s with %j: %j, %s', async (format, options, streams, encoding) => {
    const made = await make(format, options);
    expect([made.streams.toSorted(), made.encoding]).toEqual([streams.toSorted(), encoding]);
    expect(made.seconds).toBeCloseTo(SECONDS, -0.5);
  });

  it('fails if the page has no media for the container', async () => {
    await expect(make('video', { container: 'webm' }, { id: 'long' })).rejects.toMatchObject({
      details: ['unsupported'],
      message: 'The page has no media in the requested language or container.',
    });
  });
});

it('media that end early in two downloads of different sizes are incomplete', async () => {
  const whole = await readFile(join(folder, 'en.m4a'));
  const without = (bytes: number, then?: () => void): void =>
    site.set('/cut.m4a', {
      ...{ type: 'audio/mp4', body: whole.subarray(0, -bytes), length: 'by closing the connection' },
      when: () => Promise.resolve(then?.()),
    });
  without(100_000, () => without(150_000));
  await expect(make('audio', { container: 'mp3' }, { id: 'cut' })).rejects.toMatchObject({ details: ['incomplete'] });
});

describe('the language of the sound', () => {
  it.each<[MediaOptions, number]>([
    [{ container: 'flac' }, 440],
    [{ container: 'flac', sound_language: 'de' }, 880],
    [{ container: 'flac', sound_language: 'en' }, 440],
  ])('is chosen by %j', async (options, hz) => {
    const { path } = await make('audio', options);
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
    expect((await make('video', { sound_language: 'de' })).languages).toEqual(['deu']);
  });

  it('fails the job if the page does not have it', async () => {
    await expect(make('audio', { sound_language: 'fr' })).rejects.toMatchObject({ details: ['unsupported'] });
  });
});

describe('a section', () => {
  it('is cut to the frame if that is requested', async () => {
    const made = await make('video', { section: { from: 11, to: 16, exact: true } as never });
    expect([made.seconds, made.encoding]).toEqual([expect.closeTo(5, 0), 'converted']);
  });

  it.each<['audio' | 'video', string]>([
    ['video', 'talk'],
    ['audio', 'talk'],
    ['video', 'hls'],
  ])('is copied from the key frame before: %s of %s', async (format, id) => {
    const made = await make(format, { section: { from: 11, to: 16 } as never }, { id });
    expect(made.encoding).toBe('copied');
    expect(made.seconds).toBeGreaterThan(4.5);
    expect(made.seconds).toBeLessThan(5.5 + (id === 'hls' ? 4 : GROUP_SECONDS));
  });

  it('may be a chapter, with its captions and no others', async () => {
    const options = {
      section: { chapter: 'The bridge' } as never,
      embed: ['captions', 'chapters'] as MediaOptions['embed'],
    };
    const made = await make('video', options);
    expect(made.seconds).toBeCloseTo(15, -0.7);
    expect(made.chapters.map(([title]) => title)).toEqual(['The bridge']);
    const captions = await runTool(inject('tools').ffmpeg, [
      '-v',
      'error',
      '-i',
      made.path,
      '-map',
      '0:s',
      '-f',
      'srt',
      '-',
    ]);
    expect(captions.toString()).toMatch(/00:00:0[12],\d+ --> .*\nLeft here/);
    expect(captions.toString()).not.toContain('Good evening');
  });

  it('of 30 s moves less than 5 % of a recording of two hours', async () => {
    const made = await make('video', { section: { from: 3_600, to: 3_630 } as never }, { id: 'long' });
    expect(made.seconds).toBeGreaterThan(29);
    expect(received()).toBeLessThan((await readFile(join(folder, 'long.mp4'))).length * 0.05);
  });

  it.each([{ from: SECONDS + 1 }, { chapter: 'Nowhere' }])(
    'that the recording does not have fails the job: %j',
    async (section) => {
      await expect(make('video', { section: section as never })).rejects.toMatchObject({
        message: 'The recording has no such section.',
      });
    },
  );
});

describe('what is embedded', () => {
  const everything = { embed: ['tags', 'cover', 'chapters'] as MediaOptions['embed'] };

  it.each<['audio' | 'video', MediaOptions['container'], string[]]>([
    ['video', 'mp4', ['h264 360', 'aac', 'mov_text', 'mjpeg 100']],
    ['video', 'mkv', ['vp9 360', 'aac', 'subrip', 'mjpeg 100']],
    ['audio', 'm4a', ['aac', 'mjpeg 100']],
    ['audio', 'mp3', ['mp3', 'mjpeg 100']],
    ['audio', 'opus', ['opus', 'mjpeg 100']],
  ])('%s in %s has tags, cover, chapters and captions', async (format, container, streams) => {
    const embed = [...everything.embed!, ...(format === 'video' ? (['captions'] as const) : [])];
    const made = await make(format, { container, embed });
    expect(made.streams.toSorted()).toEqual(streams.toSorted());
    expect(made.tags).toMatchObject({
      title: 'The bridge; at night = #1',
      ...{ artist: 'Ann & Ben', album: 'Autumn', date: '2026-03-14', comment: `${site.url}/recorded/talk` },
    });
    expect(made.chapters.map(([title, start]) => [title, Math.round(start)])).toEqual([
      ['On the way', 0],
      ['The bridge', 10],
      ['Home', 25],
    ]);
    expect(made.languages.every((language) => language === (container === 'mp3' ? undefined : 'eng'))).toBe(true);
  });

  it('is nothing of a default request', async () => {
    const { tags, chapters } = await make('video', { max_height: 360 });
    expect([tags, chapters]).toEqual([expect.not.objectContaining({ title: expect.anything() as string }), []]);
  });
});

describe('what has not started', () => {
  it('is no other subject if that is not awaited', () => {
    expect(optionsOf({ format: 'video', wait_for_start: false })).toBeUndefined();
    expect(optionsOf({ format: 'video', wait_for_start: true })).toEqual({ wait_for_start: true });
  });

  it('fails with the announced time', async () => {
    await expect(make('video', { wait_for_start: true }, { id: 'soon' })).rejects.toMatchObject({
      details: ['not_started', STARTS_AT * 1000],
    });
  });

  it.each([{}, { section: { from: 1 } as never }])('is not what has no media: %j', async (options) => {
    await expect(make('video', { wait_for_start: true, ...options }, { id: 'nothing' })).rejects.toMatchObject({
      details: ['unsupported'],
    });
  });

  it('is no obstacle to what has', async () => {
    const made = await make('video', { wait_for_start: true, max_height: 180 });
    expect(made.streams.toSorted()).toEqual(['aac', 'h264 180']);
  });
});

describe('segments of SponsorBlock', () => {
  const segments = () =>
    Promise.resolve([
      { category: 'sponsor', start: 12, end: 17 },
      { category: 'intro', start: 0, end: 4 },
    ]);

  it('become chapters', async () => {
    const options = { embed: ['chapters'] as MediaOptions['embed'], sponsorblock: { mark: ['sponsor'] } as never };
    const { chapters } = await make('audio', options, { segments });
    expect(chapters.map(([title, start, end]) => [title, Math.round(start), Math.round(end)])).toEqual([
      ['On the way', 0, 10],
      ['The bridge', 10, 12],
      ['SponsorBlock: sponsor', 12, 17],
      ['The bridge', 17, 25],
      ['Home', 25, 40],
    ]);
  });

  it.each(['audio', 'video'] as const)('are cut out of %s', async (format) => {
    const options = {
      sponsorblock: { remove: ['sponsor', 'intro'] } as never,
      embed: ['chapters'] as MediaOptions['embed'],
    };
    const made = await make(format, options, { segments });
    expect([made.seconds, made.encoding]).toEqual([expect.closeTo(SECONDS - 9, -0.3), 'converted']);
    expect(made.chapters.map(([, start]) => Math.round(start))).toEqual([0, 6, 16]);
  });

  it('that cannot be read change nothing', async () => {
    const made = await make(
      'audio',
      { sponsorblock: { remove: ['sponsor'] } as never },
      { segments: () => Promise.reject(new Error('down')) },
    );
    expect(made.seconds).toBeCloseTo(SECONDS, -0.5);
  });
});

it.each([
  ['{date} {uploader}: {title}', '2026-03-14 Evening Talks_ The bridge; at night = #1.m4a'],
  ['con', 'con_.m4a'],
  ['../{id}', `_${'4e'.repeat(16)}.m4a`],
  ['𝄞'.repeat(99), `${'𝄞'.repeat(48)}.m4a`],
])('names a file by the template %s', async (template, name) => {
  expect((await make('audio', { file_name: template })).name).toBe(name);
});
