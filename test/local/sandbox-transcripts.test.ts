import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { VideoCase } from '../../local/sandbox/catalogue.ts';
import { pageOf, startTestSandbox, ytDlp, type TestSandbox } from '../helpers/sandbox.ts';

interface Track {
  readonly ext: string;
  readonly url: string;
  readonly name: string;
  readonly protocol?: string;
}

interface Comment {
  readonly id: string;
  readonly parent: string;
  readonly text: string;
  readonly timestamp: number;
  readonly _time_text: string;
}

interface Video {
  readonly subtitles: Readonly<Record<string, readonly Track[]>>;
  readonly automatic_captions: Readonly<Record<string, readonly Track[]>>;
  readonly comments?: readonly Comment[] | null;
  readonly comment_count?: number | null;
}

interface Event {
  readonly tStartMs: number;
  readonly dDurationMs: number;
  readonly aAppend?: 1;
  readonly segs?: readonly { readonly utf8: string; readonly tOffsetMs?: number }[];
}

let sandbox: TestSandbox;
beforeAll(async () => {
  sandbox = await startTestSandbox();
});
afterEach(() => sandbox.post('/misbehave', { video: '*', mode: 'off' }));
afterAll(() => sandbox.stop());

async function read(wanted: VideoCase, ...args: string[]): Promise<Video> {
  const result = await ytDlp(sandbox, pageOf(sandbox, sandbox.idOf(wanted)), ['--dump-single-json', ...args]);
  expect(result).toMatchObject({ exitCode: 0 });
  return JSON.parse(result.stdout) as Video;
}

describe('captions', () => {
  it('are listed with machine translations among them, as on the real platform', async () => {
    const both = await read('ordinary');
    expect(Object.keys(both.subtitles)).toEqual(['en']);
    expect(Object.keys(both.automatic_captions).sort()).toEqual(
      ['de', 'de-en', 'en', 'en-en', 'en-orig', 'fr', 'fr-en'].sort(),
    );
    const urls = Object.values(both.automatic_captions).map(([track]) => track!.url);
    expect(urls.filter((url) => url.includes('tlang='))).toHaveLength(4);
    expect(both.automatic_captions['en-orig']![0]!.name).toBe('English (Original)');
  });

  it('may be there in regional languages only', async () => {
    const { subtitles, automatic_captions: automatic } = await read('regional_captions');
    expect(Object.keys(subtitles)).toEqual(['en-GB', 'pt-BR']);
    expect(Object.keys(automatic).filter((name) => name.endsWith('-orig'))).toEqual([]);
    expect(await (await fetch(subtitles['pt-BR']![0]!.url)).text()).toContain('Quantas pessoas passavam por ela');
    expect(await (await fetch(subtitles['en-GB']![1]!.url)).text()).toMatch(/Language: en-GB[^]*weather permitting/);
  });

  it('may be automatic only, beside a recorded chat, or not there at all', async () => {
    const automatic = await read('automatic_captions');
    expect(automatic.subtitles).toMatchObject({ live_chat: [{ ext: 'json', protocol: 'youtube_live_chat_replay' }] });
    expect(Object.keys(automatic.subtitles)).toHaveLength(1);
    expect(Object.keys(automatic.automatic_captions).sort()).toEqual(['de', 'en', 'en-orig', 'fr']);
    expect(await read('no_captions')).toMatchObject({ subtitles: {}, automatic_captions: {} });
  });

  it('that a machine made roll: json3 with line breaks of their own, overlaps and times of words', async () => {
    const { automatic_captions: automatic } = await read('automatic_captions');
    const { events } = (await (await fetch(automatic['en-orig']![0]!.url)).json()) as { events: Event[] };
    expect(events[0]).not.toHaveProperty('segs');
    const breaks = events.filter((one) => one.aAppend === 1);
    const lines = events.filter((one) => one.segs !== undefined && one.aAppend === undefined);
    expect(breaks).toHaveLength(lines.length - 1);
    expect(breaks.every((one) => one.segs?.[0]?.utf8 === '\n')).toBe(true);
    lines.slice(0, -1).forEach((line, index) => {
      expect(line.tStartMs + line.dDurationMs).toBeGreaterThan(lines[index + 1]!.tStartMs);
    });
    expect(lines[0]!.segs![1]!.tOffsetMs).toBeGreaterThan(0);
    const text = lines.map((line) => line.segs!.map(({ utf8 }) => utf8).join('')).join(' ');
    expect(text).toMatch(/^is it too late to plant beans not at all .* do not like wet feet$/);
  });

  it('that a machine made roll in WebVTT too: each line three times', async () => {
    const { automatic_captions: automatic } = await read('automatic_captions');
    const text = await (await fetch(automatic['en']![1]!.url)).text();
    expect(text).toMatch(/\nis<00:00:00\.\d{3}><c> it<\/c>/);
    const plain = text.replace(/<[^<>]*>/g, '').split('\n');
    expect(plain.filter((line) => line === 'is it too late to plant beans')).toHaveLength(3);
  });

  it('that were translated are marked in every line', async () => {
    const { automatic_captions: automatic } = await read('automatic_captions');
    const [asJson3, asVtt] = await Promise.all(automatic['de']!.map(async ({ url }) => (await fetch(url)).text()));
    expect(asJson3).toContain('[de] is it too late');
    expect(asVtt).toContain('\n[de] is it too late');
  });

  it.each(['429', '500'])('can be refused with %s', async (mode) => {
    const id = sandbox.idOf('ordinary');
    await sandbox.post('/misbehave', { video: id, target: 'captions', mode });
    const url = `${sandbox.url}/captions/${id}/en.manual.json3`;
    expect((await fetch(url)).status).toBe(Number(mode));
  });

  it('can be cut', async () => {
    const id = sandbox.idOf('ordinary');
    await sandbox.post('/misbehave', { video: id, target: 'captions', mode: 'cut' });
    const response = await fetch(`${sandbox.url}/captions/${id}/en.manual.json3`);
    await expect(response.text()).rejects.toThrow();
  });
});

describe('comments', () => {
  it('come with their answers below them, and with times that are estimates', async () => {
    const { comments } = await read('ordinary', '--write-comments');
    const names = new Map(comments!.map((one, index) => [one.id, index]));
    const parents = comments!.map((one) => (one.parent === 'root' ? 'root' : names.get(one.parent)));
    expect(parents).toEqual(['root', 0, 1, 0, 'root', 4, 'root']);
    expect(comments![0]).toMatchObject({ is_pinned: true, author_is_uploader: true, like_count: 48 });
    expect(comments![0]!.text).toMatch(/stand\.\nThe best .* 🫖$/u);
    expect(comments![1]!._time_text).toMatch(/^\d+ \w+ ago$/);
    expect(comments![1]!.timestamp).toBeGreaterThan(1_600_000_000);
  });

  it('come page by page, all of them or as many as requested', async () => {
    await sandbox.post('/stats/reset', {});
    const all = await read('many_comments', '--write-comments');
    expect(new Set(all.comments!.map((one) => one.id)).size).toBe(450);
    const pages = (await sandbox.stats())['comment_pages']!;
    expect(pages).toBeGreaterThan(10);
    await sandbox.post('/stats/reset', {});
    const limits = 'youtube:max_comments=50,all,all,3;comment_sort=top';
    const some = await read('many_comments', '--write-comments', '--extractor-args', limits);
    expect(some.comments).toHaveLength(50);
    expect((await sandbox.stats())['comment_pages']).toBeLessThan(pages / 3);
    const perThread = new Map<string, number>();
    for (const { parent } of some.comments!) perThread.set(parent, (perThread.get(parent) ?? 0) + 1);
    perThread.delete('root');
    expect(Math.max(...perThread.values())).toBe(3);
  });

  it('are counted on the page without asking for them', async () => {
    await sandbox.post('/stats/reset', {});
    expect((await read('many_comments')).comment_count).toBe(450);
    expect(await sandbox.stats()).toMatchObject({ comment_pages: 0 });
  });

  it('that are turned off are none, not an error', async () => {
    const video = await read('comments_off', '--write-comments');
    expect(video.comments ?? null).toBeNull();
    expect(video.comment_count ?? null).toBeNull();
  });

  it('can be refused', async () => {
    const id = sandbox.idOf('many_comments');
    await sandbox.post('/misbehave', { video: id, target: 'comments', mode: '429' });
    const result = await ytDlp(sandbox, pageOf(sandbox, id), ['--dump-single-json', '--write-comments']);
    expect(result.exitCode).toBe(1);
    expect(result.stderrTail).toMatch(/HTTP Error 429: Too Many Requests/);
  });
});
