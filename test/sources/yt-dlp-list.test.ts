import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { EntryKind, ListEntry, ListReference } from '../../contract/lists/list-entry.ts';
import { createYtdlpChannels } from '../../sources/vidnet/yt-dlp/yt-dlp-channel.ts';
import { createYtdlpLists } from '../../sources/vidnet/yt-dlp/yt-dlp-list.ts';
import type { YtdlpSettings } from '../../sources/vidnet/yt-dlp/yt-dlp-settings.ts';
import { collect } from '../helpers/promises.ts';
import { inFolder, RecordedSite } from '../helpers/recorded-site.ts';
import { startTestSandbox, type TestSandbox } from '../helpers/sandbox.ts';

let site: RecordedSite;
let sandbox: TestSandbox;
let settings: YtdlpSettings;
const TALKS: ListReference = { kind: 'channel', path: '@evening-talks' };

beforeAll(async () => {
  site = await RecordedSite.start();
  sandbox = await startTestSandbox({ idSalt: undefined });
  settings = site.settings({
    channelUrlTemplate: `${sandbox.url}/{path}`,
    videoUrlTemplate: `${sandbox.url}/watch?v={id}`,
    pluginDir: sandbox.env.YTDLP_PLUGIN_DIR,
  });
});
afterAll(async () => {
  await sandbox.stop();
  await site.stop();
});

const lists = () => createYtdlpLists(settings, createYtdlpChannels(settings));
const entriesOf = (reference: ListReference, kinds?: readonly EntryKind[], most = Infinity): Promise<ListEntry[]> =>
  inFolder(async (call) => {
    const parts = await lists().partsOf(reference, kinds, call);
    const entries = (await Promise.all(parts.map((part) => collect(lists().entries(part, most, call))))).flat();
    return entries.filter((entry) => entry !== undefined);
  });
const change = async (body: object): Promise<string> =>
  ((await (await sandbox.post('/change', body)).json()) as { id: string }).id;

describe('the entries of a list', () => {
  it('of a channel are its uploads, newest first, with what the list shows of them', async () => {
    const entries = await entriesOf(TALKS);
    const uploads = sandbox.catalogue
      .filter(({ channel, case: name }) => channel.title === 'Evening Talks' && !['private', 'removed'].includes(name))
      .sort((a, b) => b.published_at.getTime() - a.published_at.getTime());
    expect(entries.map(({ id }) => id)).toEqual(uploads.map(({ id }) => id));
    const tea = entries.find(({ title }) => title === 'How long should tea brew?');
    expect(tea).toEqual({
      ...{ id: sandbox.idOf('ordinary'), url: `${sandbox.url}/watch?v=${sandbox.idOf('ordinary')}` },
      ...{ title: 'How long should tea brew?', kind: 'video', seconds: 29 },
      ...{ publishedAtMs: expect.any(Number), total: entries.length },
    });
    const published = sandbox.catalogue.find(({ id }) => id === tea!.id)!.published_at.getTime();
    expect(Math.abs(tea!.publishedAtMs! - published)).toBeLessThan(31 * 86_400_000);
    const states = entries.flatMap(({ state }) => state ?? []);
    expect(states).toEqual(expect.arrayContaining(['live', 'upcoming']));
  });

  it('are those of the wanted kinds', async () => {
    const short = await change({ publish: '@evening-talks', title: 'In a minute', is_short: true });
    expect((await entriesOf(TALKS, ['short'])).map(({ id, kind }) => [id, kind])).toEqual([[short, 'short']]);
    const streams = await entriesOf(TALKS, ['stream']);
    expect(streams.length).toBeGreaterThan(0);
    expect(streams.every(({ kind, state }) => kind === 'stream' && state !== undefined)).toBe(true);
    const both = await entriesOf(TALKS, ['video', 'short']);
    expect(both.at(-1)!.id).toBe(short);
    expect(both.filter(({ kind }) => kind === 'stream')).toEqual([]);
    await change({ remove: short });
    // The platform has no list of a kind that was never uploaded.
    expect(await entriesOf(TALKS, ['short'])).toEqual([]);
  });

  it('of a playlist with several pages are all read', async () => {
    const { id } = sandbox.playlists[0]!;
    const entries = await entriesOf({ kind: 'playlist', id });
    expect(entries.length).toBeGreaterThan(200);
    expect(entries).toHaveLength(entries[0]!.total!);
  });

  it('count also those without the address of a page', async () => {
    const link = (id: string, url: string) => ({ _type: 'url', id, url, title: id });
    const entries = [link('a', `${site.url}/a`), link('b', 'magnet:?xt=b'), link('c', `${site.url}/c`)];
    site.set('/recorded/mixed', { body: { _type: 'playlist', id: 'mixed', title: 'Mixed', entries } });
    const recorded = createYtdlpLists(site.settings(), createYtdlpChannels(settings));
    const read = (most: number) =>
      inFolder((call) => collect(recorded.entries({ url: `${site.url}/recorded/mixed`, subject: 'page' }, most, call)));
    expect((await read(2)).map((entry) => entry?.id)).toEqual(['a', undefined]);
    expect((await read(Infinity)).map((entry) => entry?.id)).toEqual(['a', undefined, 'c']);
  });

  it('of an empty channel are none', async () => {
    expect(await entriesOf({ kind: 'channel', path: '@soon-more' })).toEqual([]);
  });

  it.each([
    [{ kind: 'channel', path: '@gone-away' }, /^The channel was removed/],
    [{ kind: 'channel', path: 'channel/UCg0n3AwAy_chann3l-Taped' }, /^The channel was removed/],
    [{ kind: 'playlist', id: 'PLnever-was' }, /^The playlist was removed/],
  ] as const)('of a list that does not exist are a failure: %o', async (reference, message) => {
    await expect(entriesOf(reference)).rejects.toMatchObject({
      code: 'removed',
      message: expect.stringMatching(message),
    });
  });
});

it('the first entries of a channel cost one request', async () => {
  const { id } = sandbox.channels[1]!;
  await sandbox.post('/stats/reset', {});
  const reference: ListReference = { kind: 'channel', path: `channel/${id}` };
  expect(await entriesOf(reference, undefined, 100)).toHaveLength(100);
  const stats = (await (await fetch(`${sandbox.url}/stats`)).json()) as { playlists: object; totals: object };
  expect(stats.playlists).toEqual({ [id.replace(/^UC/, 'UU')]: 1 });
  expect(stats.totals).toMatchObject({ channel_pages: 0, page_reads: 0 });
});
