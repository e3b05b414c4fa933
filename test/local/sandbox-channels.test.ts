import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { StatsSnapshot } from '../../local/sandbox/stats.ts';
import { pageOf, startTestSandbox, ytDlp, type TestSandbox } from '../helpers/sandbox.ts';

const VIDEOS = 3000;

let sandbox: TestSandbox;
let channels: { url: string; case: string }[];
beforeAll(async () => {
  sandbox = await startTestSandbox();
  channels = ((await json('/')) as { channels: typeof channels }).channels;
});
afterEach(() => sandbox.post('/misbehave', { video: '*', mode: 'off' }));
afterAll(() => sandbox.stop());

const json = async (path: string): Promise<unknown> => (await fetch(sandbox.url + path)).json();
const urlOf = (wanted: string): string => channels.find((one) => one.case === wanted)!.url;
const stats = async (): Promise<StatsSnapshot> => (await json('/stats')) as StatsSnapshot;

interface ChannelPage {
  readonly channel: { readonly id: string };
  readonly videos: readonly { readonly id: string; readonly duration: number }[];
  readonly nextPage: number | null;
}

it('lists one channel of each kind, and none of the generated videos', async () => {
  expect(channels.map((one) => one.case)).toEqual(['ordinary', 'large', 'empty', 'removed']);
  const { videos } = (await json('/')) as { videos: unknown[] };
  expect(videos).toHaveLength(sandbox.catalogue.length);
  expect(videos.length).toBeLessThan(100);
});

describe('the large channel', () => {
  it('has 3000 videos in order, each once, through yt-dlp, which asks for each page once', async () => {
    await sandbox.post('/stats/reset', {});
    const result = await ytDlp(sandbox, `${urlOf('large')}/videos`, [
      ...['--flat-playlist', '--lazy-playlist', '--print', '%(id)s\t%(duration)s\t%(title)s'],
    ]);
    const lines = result.stdout.trim().split('\n');
    const rows = lines.map((line) => line.split('\t'));
    expect(rows).toHaveLength(VIDEOS);
    expect(new Set(rows.map(([id]) => id)).size).toBe(VIDEOS);
    expect(new Set(rows.map(([, , title]) => title)).size).toBe(VIDEOS);
    for (const [id, duration] of rows) {
      expect(id).toMatch(/^[\w-]{11}$/);
      expect(duration).toMatch(/^\d+$/);
    }
    const counted = Object.values((await stats()).channels);
    expect(counted).toEqual([
      { pages: Object.fromEntries(Array.from({ length: 100 }, (_, n) => [n + 1, 1])), playlist_items: {} },
    ]);
    expect((await stats()).totals).toMatchObject({ channel_pages: 100, page_reads: 0 });
  });

  it('has pages for its videos, with media of the listed length', async () => {
    const { videos } = (await json(`/${urlOf('large').split('/').at(-1)!}?page=37`)) as ChannelPage;
    const { id, duration: durationSeconds } = videos[3]!;
    const result = await ytDlp(sandbox, pageOf(sandbox, id), [
      ...['--format', 'ba[ext=m4a]', '--simulate', '--print', '%(duration)s %(timestamp)s'],
    ]);
    const [duration, timestamp] = result.stdout.trim().split(' ').map(Number);
    expect(Math.round(duration!)).toBe(durationSeconds);
    expect(timestamp).toBeGreaterThan(1_600_000_000);
    expect(await sandbox.stats(id)).toMatchObject({ page_reads: 1 });
  });

  it('has the same videos at every start, and others with another salt', async () => {
    const firstOf = async (of: TestSandbox): Promise<string> => {
      const index = (await (await fetch(of.url)).json()) as { channels: typeof channels };
      const page = (await (await fetch(index.channels[1]!.url)).json()) as ChannelPage;
      return page.videos[0]!.id;
    };
    const start = (idSalt: string): Promise<TestSandbox> => startTestSandbox({ idSalt });
    const started = await Promise.all(['a', 'a', 'b'].map(start));
    const [one, same, other] = await Promise.all(started.map(firstOf));
    expect(one).toBe(same);
    expect(one).not.toBe(other);
    await Promise.all(started.map((of) => of.stop()));
  });
});

describe('addresses of a channel', () => {
  it('are many, and capitals only matter in ids', async () => {
    const { custom_name, user_name, handle, id } = sandbox.catalogue[0]!.channel;
    const paths = [
      handle,
      handle.toUpperCase(),
      `channel/${id}`,
      `c/${custom_name!}`,
      `user/${user_name!.toUpperCase()}`,
    ];
    for (const path of paths.flatMap((one) => [one, `${one}/videos`])) {
      expect(((await json(`/${path}`)) as ChannelPage).channel.id, path).toBe(id);
    }
    expect((await fetch(`${sandbox.url}/channel/${id.toLowerCase()}`)).status).toBe(404);
  });

  it('that do not exist are reported in the words of the real platform', async () => {
    const result = await ytDlp(sandbox, `${sandbox.url}/@nobody-has-it`, ['--flat-playlist']);
    expect(result.stderrTail).toMatch(/ERROR: .*Unable to download API page: HTTP Error 404: Not Found/);
  });
});

it('says that a channel is gone', async () => {
  const result = await ytDlp(sandbox, urlOf('removed'), ['--flat-playlist', '--dump-single-json']);
  expect(result.exitCode).toBe(1);
  expect(result.stderrTail).toMatch(/ERROR: .*YouTube said: This channel does not exist\./);
});

it('describes a channel without videos, and has no tab for them', async () => {
  const whole = await ytDlp(sandbox, urlOf('empty'), ['--flat-playlist', '--dump-single-json']);
  expect(JSON.parse(whole.stdout)).toMatchObject({ channel: 'Soon More', entries: [], channel_follower_count: null });
  const tab = await ytDlp(sandbox, `${urlOf('empty')}/videos`, ['--flat-playlist']);
  expect(tab.stderrTail).toMatch(/ERROR: .*This channel does not have a videos tab/);
});

it('returns times only as estimates, and only on request', async () => {
  const timestamps = async (...more: string[]): Promise<string[]> => {
    const args = ['--flat-playlist', '--playlist-items', '1:2', '--print', 'timestamp', ...more];
    return (await ytDlp(sandbox, urlOf('ordinary'), args)).stdout.trim().split('\n');
  };
  expect(await timestamps()).toEqual(['NA', 'NA']);
  for (const one of await timestamps('--extractor-args', 'youtubetab:approximate_date')) {
    expect(Number(one)).toBeGreaterThan(1_600_000_000);
  }
});

it('answers 429 on channel pages too', async () => {
  await sandbox.post('/misbehave', { video: '*', target: 'page', mode: '429' });
  expect((await fetch(urlOf('large'))).status).toBe(429);
});

it('shows pictures', async () => {
  const { id, channel } = sandbox.catalogue[0]!;
  for (const path of [`/vi/${id}/high.png`, `/avatar/${channel.id}/default.png`, `/avatar/${channel.id}/banner.png`]) {
    const response = await fetch(sandbox.url + path);
    expect(response.headers.get('content-type')).toBe('image/png');
    expect(
      Buffer.from(await response.arrayBuffer())
        .subarray(1, 4)
        .toString(),
    ).toBe('PNG');
  }
  expect((await fetch(`${sandbox.url}/vi/${id}/huge.png`)).status).toBe(404);
});
