import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { VideoComment } from '../../contract/kinds/transcript-facts.ts';
import { createYtdlpComments } from '../../sources/vidnet/yt-dlp/yt-dlp-comments.ts';
import type { YtdlpSettings } from '../../sources/vidnet/yt-dlp/yt-dlp-settings.ts';
import { inFolder, RecordedSite } from '../helpers/recorded-site.ts';
import { collect } from '../helpers/promises.ts';
import { rows } from '../helpers/rows.ts';
import { startTestSandbox, type TestSandbox } from '../helpers/sandbox.ts';

let site: RecordedSite;
let sandbox: TestSandbox;
let onSandbox: YtdlpSettings;

beforeAll(async () => {
  site = await RecordedSite.start();
  sandbox = await startTestSandbox();
  onSandbox = site.settings({
    videoUrlTemplate: sandbox.env.VIDNET_VIDEO_URL,
    pluginDir: sandbox.env.YTDLP_PLUGIN_DIR,
  });
});
afterAll(async () => {
  await sandbox.stop();
  await site.stop();
});

const pagesOf = (from: YtdlpSettings, id: string, max: number): Promise<(readonly VideoComment[])[]> =>
  inFolder((call) => collect(createYtdlpComments(from).pages(id, max, call)));
const formats = [{ format_id: '140', url: 'http://127.0.0.1:1/140.m4a', ext: 'm4a' }];
const recorded = (id: string, more: object): void =>
  site.set(`/recorded/${id}`, { body: { id, title: 'Recorded', formats, ...more } });
/** A comment as the real platform's extractor gives it. */
const comment = (id: string, parent = 'root'): object => ({
  ...{ id, parent, text: `text of ${id}`, like_count: 3, author_id: 'UCx', author: '@someone', is_favorited: false },
  ...{ author_thumbnail: 'https://x/y', _time_text: '2 weeks ago', timestamp: 1_773_511_200 },
});

describe('comments from the sandbox', () => {
  const withComments = (): string => sandbox.idOf('ordinary');

  it('are complete, with replies after their parents and times that are marked as estimates', async () => {
    const [all = []] = await pagesOf(onSandbox, withComments(), 50);
    expect(all.length).toBeGreaterThan(1);
    const ids = all.map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    expect(all.some(({ reply_to: replyTo }) => replyTo !== undefined)).toBe(true);
    for (const [index, { reply_to: replyTo, text, author, published_at_is_estimated: isEstimated }] of all.entries()) {
      if (replyTo !== undefined) expect(ids.slice(0, index)).toContain(replyTo);
      expect(text).not.toBe('');
      expect(author).toBeDefined();
      expect(isEstimated).toBe(true);
    }
  });

  it('are never more than requested, even with extractor arguments of the operator', async () => {
    const settings = { ...onSandbox, extractorArgs: 'youtube:max_comments=all;comment_sort=top' };
    expect((await pagesOf(settings, withComments(), 2)).flat()).toHaveLength(2);
  });

  it('are complete in pages, with the oldest reply of a thread first', async () => {
    const video = sandbox.catalogue.find(({ case: kind }) => kind === 'many_comments')!;
    const pages = await pagesOf(onSandbox, video.id, 1_000);
    expect(pages.map((page) => page.length)).toEqual([100, 100, 100, 100, 50]);
    const all = pages.flat();
    expect(new Set(all.map(({ id }) => id)).size).toBe(450);
    const threads = video.comments!.filter(({ replies }) => replies.length > 1);
    expect(threads.length).toBeGreaterThan(0);
    for (const { id, replies } of threads) {
      const byTime = replies.toSorted((a, b) => a.published_at.getTime() - b.published_at.getTime());
      expect(all.filter(({ reply_to: replyTo }) => replyTo === id).map((one) => one.id)).toEqual(
        byTime.map((one) => one.id),
      );
    }
  });

  it('that are disabled give no page', async () => {
    expect(await pagesOf(onSandbox, sandbox.idOf('comments_off'), 10)).toEqual([]);
  });

  it('of a private video are refused', async () => {
    await expect(pagesOf(onSandbox, sandbox.idOf('private'), 5)).rejects.toMatchObject({ code: 'private' });
  });
});

describe('comments of recorded shapes', () => {
  it('arrive in pages of a hundred, in the order of the platform', async () => {
    recorded('many', { recorded_comments: Array.from({ length: 250 }, (_, index) => comment(`c${String(index)}`)) });
    const pages = await pagesOf(site.settings(), 'many', 1_000);
    expect(pages.map((page) => page.length)).toEqual([100, 100, 50]);
    expect(pages[0]![0]).toEqual({
      id: 'c0',
      author: '@someone',
      author_id: 'UCx',
      text: 'text of c0',
      likes: 3,
      published_at: '2026-03-14 18:00:00',
      published_at_is_estimated: true,
    });
  });

  it('invent neither likes nor times nor authors', async () => {
    recorded('bare', { recorded_comments: [{ id: 7, text: 'bare', timestamp: 1_773_511_200 }, { text: 'nameless' }] });
    expect((await pagesOf(site.settings(), 'bare', 9)).flat()).toEqual([
      { id: '7', text: 'bare', published_at: '2026-03-14 18:00:00' },
    ]);
  });

  it.each(
    rows(
      [['Incomplete data received', 'incomplete']],
      [['Unable to download API page: HTTP Error 429: Too Many Requests', 'rate_limited']],
    ),
  )('do not end as if they were whole: %s', async (error, code) => {
    recorded('half', { recorded_comments: [comment('a')], then_fails: error });
    await expect(pagesOf(site.settings(), 'half', 9)).rejects.toMatchObject({ code });
  });

  it('are sorted so that replies follow their parents, once each', async () => {
    recorded('mixed', {
      recorded_comments: [
        ...[comment('a.1.1', 'a.1'), comment('a.1', 'a'), comment('lost', 'nowhere'), comment('b'), comment('a')],
        ...[comment('b.1', 'b'), comment('a'), comment('x', 'y'), comment('y', 'x')],
      ],
    });
    const ids = (await pagesOf(site.settings(), 'mixed', 99)).flat().map(({ id }) => id);
    expect([...ids].sort()).toEqual(['a', 'a.1', 'a.1.1', 'b', 'b.1', 'lost', 'x', 'y']);
    for (const [parent, child] of [
      ['a', 'a.1'],
      ['a.1', 'a.1.1'],
      ['b', 'b.1'],
    ]) {
      expect(ids.indexOf(parent!)).toBeLessThan(ids.indexOf(child!));
    }
  });

  it.each(
    rows<readonly [string, object]>(
      [['turned off', { recorded_comments: null }]],
      [
        ['none', { recorded_comments: [] }],
        ['not known to the extractor', {}],
      ],
    ),
  )('that are %s are no page', async (_, more) => {
    recorded('without', more);
    expect(await pagesOf(site.settings(), 'without', 9)).toEqual([]);
  });
});
