import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import type { MediaOptions } from '../../contract/kinds/media-options.ts';
import { MP4, startMediaMaker, type MediaMaker } from '../helpers/media-maker.ts';
import { runTool } from '../helpers/media.ts';
import { addTalk, GROUP_SECONDS, TALK_SECONDS } from '../helpers/talk-page.ts';

/** The length of the fragments of HLS and DASH. */
const FRAGMENT_SECONDS = 4;
/** How often a recording of two hours repeats the talk. */
const TIMES = 180;

let maker: MediaMaker;
beforeAll(async () => {
  maker = await startMediaMaker();
  const { site, add, format, folder } = maker;
  const talk = await addTalk(maker);
  const tracks = ['-i', talk['180'], '-i', talk.en];
  const looped = [talk['180'], talk.en].flatMap((path) => ['-stream_loop', String(TIMES - 1), '-i', path]);
  await add('long.mp4', 'video/mp4', [...looped, '-c', 'copy', ...MP4]);
  const page = (id: string, duration: number, file: object): void => {
    site.set(`/recorded/${id}`, { body: { id, title: id, duration, formats: [file] } });
  };
  page('long', TALK_SECONDS * TIMES, format('long.mp4', { height: 180 }));
  page('longest', 4 * 3_600, format('long.mp4', { height: 180 }));
  const chapters = [
    { title: ' (1/2)  Über die "Brücke" 🌉? ', start_time: 0, end_time: 20 },
    ...[20, 30].map((start_time) => ({ title: 'Part', start_time, end_time: start_time + 10 })),
  ];
  site.set('/recorded/odd', { body: { id: 'odd', title: 'Odd', chapters, formats: [format('en.m4a', {})] } });
  site.set('/recorded/silent', { body: { id: 'silent', title: 'Silent', formats: [format('180.mp4', {})] } });
  page('hls', TALK_SECONDS, format('hls.m3u8', { protocol: 'm3u8_native', ext: 'mp4', height: 180 }));
  const hls = `-c copy -hls_time ${String(FRAGMENT_SECONDS)} -hls_list_size 0 -hls_segment_filename`.split(' ');
  await add('hls.m3u8', 'application/vnd.apple.mpegurl', [...tracks, ...hls, join(folder, 'part%d.ts')]);
  const dash = `-c copy -f dash -seg_duration ${String(FRAGMENT_SECONDS)}`.split(' ');
  await add('dash.mpd', 'application/dash+xml', [...tracks, ...dash]);
  await maker.serve(/\.(?:ts|m4s)$/, 'video/mp2t');
}, 120_000);
afterAll(() => maker.stop());

describe('a section', () => {
  it('is cut to the frame if that is requested', async () => {
    const made = await maker.make('video', { section: { from: 11, to: 16, exact: true } as never });
    expect([made.seconds, made.encoding]).toEqual([expect.closeTo(5, 0), 'converted']);
  });

  it.each<['audio' | 'video', string]>([
    ['video', 'recorded/talk'],
    ['audio', 'recorded/talk'],
    ['video', 'recorded/hls'],
    ['audio', 'recorded/hls'],
    ['video', 'dash.mpd'],
    ['audio', 'dash.mpd'],
  ])('is copied from the key frame before: %s of %s', async (format, path) => {
    const made = await maker.make(format, { section: { from: 11, to: 16 } as never }, { path });
    expect(made.encoding).toBe('copied');
    expect(made.seconds).toBeGreaterThan(4.5);
    expect(made.seconds).toBeLessThan(5.5 + (path === 'recorded/talk' ? GROUP_SECONDS : FRAGMENT_SECONDS));
  });

  it.each<['audio' | 'video', NonNullable<MediaOptions['container']>]>([
    ['video', 'mp4'],
    ['video', 'mkv'],
    ['video', 'webm'],
    ['audio', 'm4a'],
    ['audio', 'opus'],
  ])('has its chapters at their times when it is copied: %s in %s', async (format, container) => {
    const options = { container, section: { from: 11.3, to: 28 } as never, embed: ['chapters'] as never };
    const made = await maker.make(format, options);
    // The pictures in Matroska begin with a key frame that may be the first of the recording.
    const lead = made.seconds - 16.7;
    if (!['mkv', 'webm'].includes(container)) expect(lead).toBeCloseTo(0, 0.8);
    const close = (seconds: number): unknown => expect.closeTo(seconds + lead, 0.5);
    expect(made.chapters).toEqual([
      ['The bridge', close(0), close(13.7)],
      ['Home', close(13.7), close(16.7)],
    ]);
  });

  it('that breaks off in two downloads of different sizes is incomplete', async () => {
    const whole = await readFile(join(maker.folder, 'long.mp4'));
    const start = whole.indexOf('mdat');
    // The first download has 25 of 60 s, the second 10.
    let length = start + ((whole.length - start) * 3_640) / (TALK_SECONDS * TIMES);
    const body = { id: 'broken', title: 'broken', duration: TALK_SECONDS * TIMES, formats: [{}] };
    body.formats = [maker.format('broken.mp4', { height: 180 })];
    const when = () => {
      length -= 300_000;
      maker.site.set('/broken.mp4', { type: 'video/mp4', body: whole.subarray(0, length) });
      return Promise.resolve();
    };
    maker.site.set('/recorded/broken', { body, when });
    const made = maker.make('video', { section: { from: 3_600, to: 3_660 } as never }, { id: 'broken' });
    await expect(made).rejects.toMatchObject({ details: ['incomplete'] });
  });

  it('ends with the recording if the page states that it is longer', async () => {
    const body = { id: 'short', title: 'Short', duration: TALK_SECONDS + 20, formats: [maker.format('en.m4a', {})] };
    maker.site.set('/recorded/short', { body });
    const made = await maker.make('audio', { section: { from: 35 } as never }, { id: 'short' });
    expect(made.seconds).toBeCloseTo(5, -0.3);
  });

  it('must not be longer than the operator accepts', async () => {
    const made = maker.make('video', { section: { from: 60 } as never }, { id: 'longest' });
    await expect(made).rejects.toMatchObject({ details: ['too_long'] });
  });

  it('may be a chapter, with its captions and no others', async () => {
    const options = {
      section: { chapter: 'The bridge' } as never,
      embed: ['captions', 'chapters'] as MediaOptions['embed'],
    };
    const made = await maker.make('video', options);
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

  it.each([
    ['(1/2) Über die "Brücke" 🌉?', 20],
    ['Part', 10],
  ])('may be the first chapter with the title %s', async (chapter, seconds) => {
    const options = { section: { chapter } as never, embed: ['chapters'] as MediaOptions['embed'] };
    const made = await maker.make('audio', options, { id: 'odd' });
    expect(made.seconds).toBeCloseTo(seconds, -0.3);
    expect(made.chapters.map(([title]) => title)).toEqual([chapter]);
  });

  it('of 30 s moves less than 5 % of a recording of two hours', async () => {
    const made = await maker.make('video', { section: { from: 3_600, to: 3_630 } as never }, { id: 'long' });
    expect(made.seconds).toBeGreaterThan(29);
    expect(maker.received()).toBeLessThan((await readFile(join(maker.folder, 'long.mp4'))).length * 0.05);
  });

  it.each([
    ['talk', { from: TALK_SECONDS + 1 }],
    ['talk', { chapter: 'Nowhere' }],
    ['odd', { from: TALK_SECONDS + 1 }],
    ['odd', { from: TALK_SECONDS + 1, to: TALK_SECONDS + 9, exact: true }],
    ['silent', { from: TALK_SECONDS + 1 }],
    ['silent', { from: TALK_SECONDS + 1, exact: true }],
  ])('that the recording does not have fails the job: %s, %j', async (id, section) => {
    const made = maker.make(id === 'silent' ? 'video' : 'audio', { section: section as never }, { id });
    await expect(made).rejects.toMatchObject({ message: 'The recording has no such section.' });
  });

  it('ends with the recording', async () => {
    const made = await maker.make('audio', { section: { from: 35, to: 900 } as never });
    expect(made.seconds).toBeCloseTo(5, -0.3);
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
    const { chapters } = await maker.make('audio', options, { segments });
    expect(chapters.map(([title, start, end]) => [title, Math.round(start), Math.round(end)])).toEqual([
      ['On the way', 0, 10],
      ['The bridge', 10, 12],
      ['SponsorBlock: sponsor', 12, 17],
      ['The bridge', 17, 25],
      ['Home', 25, 40],
    ]);
  });

  it('that overlap become chapters among the whole recording, whose page has none', async () => {
    const reported = [
      { category: 'sponsor', start: 5, end: 15 },
      { category: 'intro', start: 10, end: 20 },
    ];
    const options = { sponsorblock: { mark: ['sponsor', 'intro'] } as never };
    const { chapters } = await maker.make('audio', options, { segments: () => Promise.resolve(reported) });
    const title = 'The bridge; at night = #1';
    expect(chapters.map(([name, start, end]) => [name, Math.round(start), Math.round(end)])).toEqual([
      [title, 0, 5],
      ['SponsorBlock: sponsor', 5, 10],
      ['SponsorBlock: intro', 10, 20],
      [title, 20, 40],
    ]);
  });

  it.each(['audio', 'video'] as const)('are cut out of %s', async (format) => {
    const options = {
      sponsorblock: { remove: ['sponsor', 'intro'] } as never,
      embed: ['chapters'] as MediaOptions['embed'],
    };
    const made = await maker.make(format, options, { segments });
    expect([made.seconds, made.encoding]).toEqual([expect.closeTo(TALK_SECONDS - 9, -0.3), 'converted']);
    expect(made.chapters.map(([, start]) => Math.round(start))).toEqual([0, 6, 16]);
  });

  it('of which hardly anything is left at the ends are cut out, too', async () => {
    const reported = [
      { category: 'intro', start: 0.01, end: 4 },
      { category: 'intro', start: 36, end: TALK_SECONDS - 0.01 },
    ];
    const options = { sponsorblock: { remove: ['intro'] } as never };
    const made = await maker.make('video', options, { segments: () => Promise.resolve(reported) });
    expect(made.seconds).toBeCloseTo(32, -0.3);
  });

  it.each([
    ['are cut out of a section', { from: 10, to: 30 }, 15, 'converted'],
    ['outside of a section do not change it', { from: 20, to: 30 }, 10, 'copied'],
  ])('%s', async (_case, section, seconds, encoding) => {
    const options = { section: section as never, sponsorblock: { remove: ['sponsor', 'intro'] } as never };
    const made = await maker.make('audio', options, { segments });
    expect([made.seconds, made.encoding]).toEqual([expect.closeTo(seconds, -0.3), encoding]);
  });

  it('that cover everything leave nothing', async () => {
    const everything = [{ category: 'intro', start: 0, end: 999 }];
    const options = { sponsorblock: { remove: ['intro'] } as never };
    const made = maker.make('audio', options, { segments: () => Promise.resolve(everything) });
    await expect(made).rejects.toMatchObject({ details: ['unsupported'] });
  });

  it('that cannot be read change nothing', async () => {
    const made = await maker.make(
      'audio',
      { sponsorblock: { remove: ['sponsor'] } as never },
      { segments: () => Promise.reject(new Error('down')) },
    );
    expect(made.seconds).toBeCloseTo(TALK_SECONDS, -0.5);
  });
});
