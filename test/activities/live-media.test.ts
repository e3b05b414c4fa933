import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { contradictionIn, optionsOf, type MediaOptions } from '../../contract/kinds/media-options.ts';
import { mediaRequestSchema } from '../../contract/kinds/media.ts';
import { startMediaMaker, type MediaMaker } from '../helpers/media-maker.ts';

/** Segments of one second. */
const SEGMENTS = 60;
/** How many there are before a recording begins. */
const EARLIER = 10;
/** The last one of a broadcast that does not go on to the end of the test. */
const LAST = 18;
const LIMITS = { maxMediaSeconds: 40 };

let maker: MediaMaker;

beforeAll(async () => {
  maker = await startMediaMaker({ ...LIMITS, minimumRate: { bytes: 1_000_000_000, windowMs: 6_000 } });
  const pictures = `-f lavfi -i testsrc=d=${String(SEGMENTS)}:s=160x120:r=10`.split(' ');
  const sound = `-f lavfi -i sine=440:d=${String(SEGMENTS)}`.split(' ');
  const encoded = '-c:v libx264 -preset ultrafast -pix_fmt yuv420p -g 10 -c:a aac'.split(' ');
  const hls = '-f hls -hls_time 1 -hls_list_size 0 -hls_segment_filename'.split(' ');
  const add = (name: string, inputs: readonly string[]): Promise<string> =>
    maker.add(`${name}.m3u8`, '', [...inputs, ...encoded, ...hls, join(maker.folder, `${name}%d.ts`)]);
  await Promise.all([add('both', [...pictures, ...sound]), add('seen', pictures), add('heard', sound)]);
  await maker.serve(/\.ts$/, 'video/mp2t');
}, 120_000);
afterAll(() => maker.stop());

interface Broadcast {
  /** What happens after the last segment. Absent: it goes on. */
  readonly then?: 'ends' | 'stalls' | 'vanishes';
  readonly isFromStart?: boolean;
  readonly tracks?: readonly ('both' | 'seen' | 'heard')[];
  readonly facts?: object;
  readonly everyMs?: number;
}

/** Serves playlists that grow while the test runs. */
function broadcast({ then, isFromStart = false, tracks = ['both'], facts, everyMs = 400 }: Broadcast = {}): void {
  let known = EARLIER;
  const { site } = maker;
  const show = (): void => {
    const count = Math.min(known, then === undefined ? SEGMENTS : LAST);
    const first = isFromStart ? 0 : Math.max(0, count - 8);
    for (const track of tracks) {
      const lines = [
        ...['#EXTM3U', '#EXT-X-VERSION:3', '#EXT-X-TARGETDURATION:1', `#EXT-X-MEDIA-SEQUENCE:${String(first)}`],
        ...Array.from({ length: count - first }, (_, n) => `#EXTINF:1.0,\n${track}${String(first + n)}.ts`),
        ...(then === 'ends' && known > LAST ? ['#EXT-X-ENDLIST'] : []),
      ];
      const isGone = then === 'vanishes' && known > LAST + 5;
      const type = 'application/vnd.apple.mpegurl';
      site.set(`/${track}.m3u8`, isGone ? { status: 404, body: '' } : { type, body: `${lines.join('\n')}\n` });
    }
    known += 1;
  };
  show();
  const timer = setInterval(show, everyMs);
  onTestFinished(() => clearInterval(timer));
  const codecs = {
    both: {},
    seen: { vcodec: 'avc1.42', acodec: 'none' },
    heard: { vcodec: 'none', acodec: 'mp4a.40.2' },
  };
  const formats = tracks.map((track) => ({
    ...{ format_id: track, url: `${site.url}/${track}.m3u8`, ext: 'mp4', protocol: 'm3u8_native', ...codecs[track] },
    ...(isFromStart && { is_from_start: true }),
  }));
  site.set('/recorded/live', { body: { id: 'live', title: 'Live', live_status: 'is_live', formats, ...facts } });
}

async function record(live: MediaOptions['live'], format: 'audio' | 'video' = 'video') {
  const earlier = maker.site.requests.length;
  const made = await maker.make(format, { live }, { id: 'live' });
  expect(made.statedSeconds).toBeCloseTo(made.seconds, 0);
  expect(maker.received()).toBeGreaterThan((await stat(made.path)).size / 2);
  return { ...made, requests: maker.site.requests.slice(earlier) };
}

const within = (least: number, most: number): unknown => expect.toSatisfy((n: number) => n > least && n < most);

describe('a recording', () => {
  it('begins now and has the requested length', async () => {
    broadcast();
    const made = await record({ from: 'now', seconds: 6, until: undefined });
    expect(made).toMatchObject({ seconds: within(5, 7.5), streams: ['aac', 'h264 120'] });
    expect(made.requests).not.toContain('/both0.ts');
  });

  it('joins separate pictures and sound', async () => {
    broadcast({ tracks: ['seen', 'heard'] });
    const made = await record({ from: 'now', seconds: 5, until: undefined });
    expect(made).toMatchObject({ seconds: within(4, 6.5), streams: ['aac', 'h264 120'] });
  });

  it('may be of the sound alone', async () => {
    broadcast();
    const made = await record({ from: 'now', seconds: 5, until: undefined }, 'audio');
    expect(made).toMatchObject({ seconds: within(4, 6.5), streams: ['aac'] });
  });

  it('begins with the broadcast, if the site offers that', async () => {
    broadcast({ isFromStart: true });
    const made = await record({ from: 'start', seconds: 14, until: undefined });
    expect(made.requests).toContain('/both0.ts');
    expect(made.seconds).toEqual(within(13, 15.5));
  });

  it.each(['ends', 'stalls', 'vanishes'] as const)('has what there is of a broadcast that %s', async (then) => {
    broadcast({ then });
    const { seconds } = await record({ from: 'now', seconds: 39, until: undefined });
    expect(seconds).toEqual(within(5, LAST - EARLIER + 4));
  });

  it('ends at the requested time', async () => {
    broadcast({ everyMs: 1_000 });
    const { seconds } = await record({
      from: 'now',
      seconds: undefined,
      until: new Date(Date.now() + 15_000).toISOString(),
    });
    expect(seconds).toEqual(within(1, 25));
  });

  it('is no longer than the operator accepts', async () => {
    broadcast({ isFromStart: true });
    const { seconds } = await record({ from: 'start', seconds: 3_600, until: undefined });
    expect(seconds).toEqual(within(LIMITS.maxMediaSeconds - 2, LIMITS.maxMediaSeconds + 1.5));
  }, 60_000);

  it.each<[string, MediaOptions['live'], Broadcast, string]>([
    [
      'a site that has no start',
      { from: 'start', seconds: 5, until: undefined },
      {},
      'The site does not offer the broadcast from its start.',
    ],
    [
      'a video',
      { from: 'now', seconds: 5, until: undefined },
      { facts: { live_status: 'not_live' } },
      'The page shows no running broadcast.',
    ],
    [
      'a time that is over',
      { from: 'now', seconds: undefined, until: '2026-01-01T00:00:00.000Z' },
      {},
      'The time until which the broadcast was to be recorded is over.',
    ],
  ])('of %s fails', async (_case, live, shown, message) => {
    broadcast(shown);
    await expect(record(live)).rejects.toMatchObject({ message, details: ['unsupported'] });
  });

  it('of an announced broadcast fails until it has started', async () => {
    broadcast({ facts: { live_status: 'is_upcoming', release_timestamp: 4_102_444_800 } });
    await expect(record({ from: 'now', seconds: 5, until: undefined })).rejects.toMatchObject({
      details: ['not_started', 4_102_444_800_000],
    });
  });
});

describe('the request for a recording', () => {
  const request = (live: object, more: object = {}) =>
    mediaRequestSchema.safeParse({ url: 'https://a.example', format: 'video', live, ...more });
  const later = '2100-01-01T01:00:00+01:00';

  it.each([
    { from: 'now' },
    { from: 'now', seconds: 5, until: later },
    { from: 'now', seconds: 86_400 },
    { seconds: 5 },
  ])('is not %j', (live) => {
    expect(request(live).success).toBe(false);
  });

  it('is one subject for equal times', () => {
    const [one, other] = [later, '2100-01-01T00:00:00Z'].map((until) =>
      optionsOf(request({ from: 'now', until }).data!),
    );
    expect(one).toEqual({ live: { from: 'now', until: '2100-01-01T00:00:00.000Z' } });
    expect(other).toEqual(one);
  });

  it.each([
    [{ from: 'now', seconds: 5 }, { section: { from: 1 } }, 'live'],
    [{ from: 'now', until: '2026-01-01T00:00:00Z' }, {}, 'live.until'],
  ])('contradicts itself: %j, %j', (live, more, field) => {
    expect(contradictionIn(request(live, more).data!)?.[0]).toBe(field);
  });
});
