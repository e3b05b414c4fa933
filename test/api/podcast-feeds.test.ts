import { ulid } from 'ulid';
import { parseJsonFeed, parseOpml } from 'feedsmith';
import partytime from 'podcast-partytime';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { rssText } from '../../api/podcasts/feed-documents.ts';
import type { BatchItemRequest } from '../../contract/batches/batch-item.ts';
import { newBatch } from '../../contract/batches/batch-state.ts';
import type { SuccessRecord } from '../../contract/download-record.ts';
import { feedListSchema, feedSchema, type Feed } from '../../contract/http/feed-schemas.ts';
import { subjectIdOf } from '../../contract/kinds/subjects.ts';
import type { StoredSubscription } from '../../contract/subscriptions/subscription-state.ts';
import { aTranscriptJob, keepJob, newJob } from '../helpers/jobs.ts';
import { aLabelsJob, keepAudio, keepLabels } from '../helpers/kept-audio.ts';
import { startFacades, type Facades } from '../helpers/rest-app.ts';

let facades: Facades;
let batchId: string;
let talk: SuccessRecord;
let walk: SuccessRecord;
let other: SuccessRecord;
beforeAll(async () => {
  facades = await startFacades();
  const audio = async (mediaId: string): Promise<SuccessRecord> => {
    const record = await keepAudio(facades, { mediaId, subjectId: subjectIdOf('audio', mediaId) });
    if (record.status !== 'success') throw new Error('the audio is not kept');
    return record;
  };
  [talk, walk, other] = [await audio('kX3vQ9mTz0A'), await audio('kX3vQ9mTz0B'), await audio('kX3vQ9mTz0C')];
  const { deps, contents } = facades;
  await keepLabels(facades, aLabelsJob(talk));
  const info = { ...newJob(), type: 'media_info', mediaId: talk.mediaId, price: 0 } as const;
  await contents.putFacts(info.recordId, {
    ...{ kind: 'video', title: 'Talk', description: 'Tea & <biscuits>\u2026' },
    thumbnails: ['webp', 'jpg'].map((type) => ({ url: `https://pictures.example/talk.${type}` })),
    chapters: [
      { title: 'On the way', start: 0, end: 20.5 },
      { title: 'Home', start: 20.5 },
    ],
  });
  const done = { status: 'success', result: {} } as const;
  await keepJob(deps.records, { ...info, subjectId: subjectIdOf('media_info', talk.mediaId) }, done);
  const captions = aTranscriptJob({ mediaId: walk.mediaId });
  await contents.putFacts(captions.recordId, {
    video: { videoId: walk.mediaId, link: 'https://example.com', title: 'Walk' },
    track: { language: 'en', kind: 'manual' },
    lines: [{ startSeconds: 1, durationSeconds: 2, text: 'Good evening.' }],
  });
  await keepJob(deps.records, captions, done);
  batchId = await keepBatch([talk.id, walk.id, captions.recordId, undefined]);
});
afterAll(() => facades.close());

/** A finished batch with the given records of its items; an item without one has failed. */
async function keepBatch(
  recordIds: readonly (string | undefined)[],
  more: { readonly startedBy?: string; readonly subscriptionId?: string } = {},
): Promise<string> {
  const { batches } = facades.deps;
  const { recordId: id, createdAt } = newJob();
  const request = { operation: 'requestAudio', vidnet_video_id: 'kX3vQ9mTz0A' } as BatchItemRequest;
  const piece = { batchId: id, number: 1 };
  await batches.putPiece(
    piece,
    recordIds.map(() => ({ request, subjectId: 'audio/x', price: 5 })),
  );
  await batches.noteProgress(
    piece,
    recordIds.map((recordId, index) => [
      index,
      recordId === undefined ? { state: 'failed' } : { state: 'success', recordId },
    ]),
  );
  const batch = { id, startedBy: 'anonymous', createdAt, name: 'Talks & walks', items: recordIds.length };
  await batches.create(newBatch({ ...batch, status: 'finished', updatedAtMs: 0, ...more }));
  return id;
}

async function send(method: string, path: string, body?: object, headers: Record<string, string> = {}) {
  const response = await fetch(facades.url + path, { method, headers, ...(body && { body: JSON.stringify(body) }) });
  return { status: response.status, body: await response.json() };
}
const create = async (source: string, more: object = {}): Promise<Feed> => {
  const { status, body } = await send('POST', '/api/feeds', { source, ...more });
  expect([status, body]).toMatchObject([200, { source }]);
  return feedSchema.parse(body);
};
const get = (url: string | null | undefined, init?: RequestInit) =>
  fetch((url ?? 'no address').replace('http://api.example', facades.url), init);
const textOf = async (url: string | null): Promise<string> => (await get(url)).text();

/** What Apple requires of a feed, and Podcasting 2.0 of transcripts and chapters, as another program's parser reads it. */
const itemSchema = z.object({
  title: z.string().min(1),
  guid: z.string().min(1),
  pubDate: z.date(),
  enclosure: z.object({
    url: z.url().regex(/\.(?:m4a|mp4)$/),
    length: z.number().positive(),
    type: z.enum(['audio/mp4', 'video/mp4']),
  }),
  duration: z.number().int().positive(),
  explicit: z.literal(false),
});
const podcastSchema = z.object({
  title: z.string().min(1),
  link: z.url(),
  description: z.string().min(1),
  language: z.string().min(2),
  author: z.string().min(1),
  itunesImage: z.url(),
  itunesCategory: z.array(z.string()).min(1),
  itunesBlock: z.literal(true),
  explicit: z.literal(false),
  items: z.array(itemSchema),
});
async function parsed(url: string | null) {
  const podcast = partytime.parseFeed(await textOf(url));
  podcastSchema.parse(podcast);
  if (podcast === null) throw new Error('this is no podcast');
  return podcast;
}

describe('the feed of a batch', () => {
  it("meets Apple's rules, and lists the files of its downloads with transcripts, chapters and artwork", async () => {
    const podcast = await parsed((await create(batchId)).rss_url);
    expect(podcast).toMatchObject({ title: 'Talks & walks', language: 'en' });
    // The newest download comes first.
    expect(podcast.items.map(({ guid }) => guid)).toEqual([walk.subjectId, talk.subjectId]);
    const [second, first] = podcast.items;
    expect(first).toMatchObject({
      ...{ title: 'Talk', description: 'Tea & <biscuits>\u2026', duration: 61 },
      itunesImage: 'https://pictures.example/talk.jpg',
      enclosure: { length: 5, type: 'audio/mp4' },
    });
    const chapters = await get(first?.podcastChapters?.url);
    expect(chapters.headers.get('content-type')).toBe('application/json+chapters');
    expect(await chapters.json()).toEqual({
      version: '1.2.0',
      chapters: [
        { startTime: 0, title: 'On the way', endTime: 20.5 },
        { startTime: 20.5, title: 'Home' },
      ],
    });
    const labels = await get(first?.podcastTranscripts?.[0]?.url);
    expect(labels.headers.get('content-type')).toBe('text/vtt; charset=utf-8');
    expect(await labels.text()).toContain('<v Speaker 1>Shall we &lt;begin&gt;?');
    expect(second?.podcastChapters).toBeUndefined();
    const [captions] = second?.podcastTranscripts ?? [];
    expect(captions).toMatchObject({ type: 'text/vtt', language: 'en' });
    expect(await textOf(captions?.url ?? null)).toContain('Good evening.');
    const artwork = await get(podcast.itunesImage);
    expect([artwork.status, artwork.headers.get('content-type')]).toEqual([200, 'image/png']);
    const png = Buffer.from(await artwork.arrayBuffer());
    expect([png.readUInt32BE(16), png.readUInt32BE(20)]).toEqual([1400, 1400]);
  });

  it('has the title, language and artwork of the request', async () => {
    const given = { title: 'Mine', language: 'de', image_url: 'https://pictures.example/mine.png' };
    const feed = await create(batchId, given);
    expect(feed).toMatchObject(given);
    const podcast = await parsed(feed.rss_url);
    expect(podcast).toMatchObject({ title: 'Mine', language: 'de', itunesImage: given.image_url });
  });

  it('has the downloads of all batches of a subscription', async () => {
    const { recordId: id, createdAt } = newJob();
    await facades.deps.subscriptions.create({
      ...{
        id,
        createdAt,
        startedBy: 'anonymous',
        since: 'now',
        everyMinutes: 60,
        skip: [],
        status: 'active',
        notice: 1,
      },
      ...{ source: { url: 'https://example.com/talks' } as StoredSubscription['source'], waiting: [], started: 2 },
      ...{ spent: { day: '2026-11-21', amount: 0 }, price: 5 },
    });
    await keepBatch([talk.id], { subscriptionId: id });
    await keepBatch([other.id], { subscriptionId: id });
    const podcast = await parsed((await create(id)).rss_url);
    expect(podcast.title).toBe('https://example.com/talks');
    expect(podcast.items.map(({ guid }) => guid)).toEqual([other.subjectId, talk.subjectId]);
    expect((await get(podcast.items[0]?.enclosure.url)).status).toBe(200);
  });

  it('is a JSON Feed, too', async () => {
    const { json_url: url } = await create(batchId);
    const response = await get(url);
    expect(response.headers.get('content-type')).toBe('application/feed+json');
    const text = await response.text();
    const { items, ...feed } = parseJsonFeed(text);
    expect(JSON.parse(text)).toMatchObject({ version: 'https://jsonfeed.org/version/1.1', feed_url: url });
    expect([feed.title, items?.map(({ id }) => id)]).toEqual(['Talks & walks', [walk.subjectId, talk.subjectId]]);
    expect(items?.[1]?.attachments).toMatchObject([
      { mime_type: 'audio/mp4', size_in_bytes: 5, duration_in_seconds: 61 },
    ]);
  });

  it('plays by parts, answers HEAD, and is not sent again while nothing has changed', async () => {
    const { rss_url: url } = await create(batchId);
    const { items } = await parsed(url);
    const file = items[1]?.enclosure.url;
    const part = await get(file, { headers: { range: 'bytes=1-3' } });
    expect([part.status, part.headers.get('content-range'), await part.text()]).toEqual([206, 'bytes 1-3/5', 'udi']);
    const head = await get(file, { method: 'HEAD' });
    expect([head.status, head.headers.get('content-length'), head.headers.get('accept-ranges')]).toEqual([
      ...[200, '5', 'bytes'],
    ]);
    const whole = await get(url);
    const etag = whole.headers.get('etag') ?? '';
    expect(whole.headers.get('access-control-allow-origin')).toBe('*');
    const again = await get(url, { headers: { 'if-none-match': etag, 'cache-control': 'max-age=0' } });
    expect([again.status, await again.text(), again.headers.get('etag')]).toEqual([304, '', etag]);
    expect((await get(url, { method: 'POST' })).status).toBe(405);
  });

  it('is written without blocking the process, with 200 episodes that have long descriptions', () => {
    const info = { title: 'x', description: '<p>'.repeat(3_000) } as never;
    const [file] = talk.files;
    const episodes = Array.from({ length: 200 }, (_, number) => ({
      ...{ record: talk, guid: `audio/${String(number)}`, info, file: file! },
    }));
    const feed = { id: '', hash: '', startedBy: '', source: '', title: 'x', language: 'en', createdAt: '' };
    const addresses = { home: 'https://example.com', self: 'https://example.com/f', artwork: 'https://example.com/a' };
    rssText(feed, episodes, addresses);
    const started = process.cpuUsage();
    const text = rssText(feed, episodes, addresses);
    expect(text.length).toBeLessThan(3_000_000);
    // Other processes may be busy.
    expect(process.cpuUsage(started).user).toBeLessThan(100_000);
  });
});

describe('the token of a feed', () => {
  it('gives access to nothing but the files of its source, and to nothing after it was revoked', async () => {
    const feed = await create(batchId);
    const base = feed.rss_url?.replace('.rss', '') ?? '';
    const file = `${base}/${talk.id}/${talk.mediaId}.m4a`;
    expect((await get(file)).status).toBe(200);
    for (const path of [
      ...[`${base}/${other.id}/${other.mediaId}.m4a`, `${base}/${talk.id}/other.m4a`, `${base}/${talk.id}/..`],
      ...[
        `${base}/${walk.id}/chapters.json`,
        `${base}.opml`,
        `${base}.txt`,
        `${base}.constructor`,
        base,
        `${base}~${feed.id}.rss`,
      ],
      ...[
        feed.rss_url?.replace(/.\.rss/, (end) => (end === 'A.rss' ? 'B.rss' : 'A.rss')),
        'http://api.example/feeds/x.rss',
      ],
    ]) {
      expect([path, (await get(path)).status]).toEqual([path, 404]);
    }
    const { body } = await send('DELETE', `/api/feeds/${feed.id}`);
    expect(body).toEqual({ ...feed, rss_url: null, json_url: null });
    for (const url of [feed.rss_url, feed.json_url, file, `${base}/${talk.id}/transcript.vtt`]) {
      expect([url, (await get(url)).status]).toEqual([url, 404]);
    }
    expect((await send('DELETE', `/api/feeds/${feed.id}`)).status).toBe(404);
  });

  it('is stored as a hash only', async () => {
    const feed = await create(batchId);
    const [, secret] = /_([\w-]{43})\.rss$/.exec(feed.rss_url ?? '') ?? [];
    const stored = await facades.db.collection('feeds').find().toArray();
    expect(JSON.stringify(stored)).toContain(feed.id);
    expect(JSON.stringify(stored)).not.toContain(secret);
  });

  it('ends with the API key, whose feeds no other caller sees', async () => {
    const key = await facades.deps.keys.create({ name: 'listener', scopes: ['read', 'jobs'] });
    const headers = { authorization: `Bearer ${key.text}` };
    const own = await keepBatch([talk.id], { startedBy: key.id });
    expect((await send('POST', '/api/feeds', { source: own })).status).toBe(400);
    const feed = feedSchema.parse((await send('POST', '/api/feeds', { source: own }, headers)).body);
    expect((await send('DELETE', `/api/feeds/${feed.id}`)).status).toBe(404);
    const seen = async (as: Record<string, string>) => {
      const { body } = await send('GET', '/api/feeds?limit=200', undefined, as);
      return feedListSchema.parse(body).feeds.map(({ id }) => id);
    };
    expect(await seen(headers)).toEqual([feed.id]);
    expect(await seen({})).not.toContain(feed.id);
    expect((await get(feed.rss_url)).status).toBe(200);
    await facades.deps.keys.revoke(key.id);
    expect((await get(feed.rss_url)).status).toBe(404);
  });
});

describe('the list of all feeds', () => {
  it('is OPML with feeds that its own token opens, until they or it are revoked', async () => {
    const [feed, list] = [await create(batchId, { title: 'A & B' }), await create('feeds')];
    expect(list).toMatchObject({ rss_url: null, json_url: null });
    const outlines = parseOpml(await textOf(list.opml_url)).body?.outlines ?? [];
    const listed = outlines.find(({ xmlUrl }) => xmlUrl?.includes(feed.id) === true);
    expect(listed).toMatchObject({ text: 'A & B', type: 'rss' });
    const url = listed?.xmlUrl ?? null;
    const { items } = await parsed(url);
    expect((await get(items[0]?.enclosure.url)).status).toBe(200);
    await send('DELETE', `/api/feeds/${feed.id}`);
    expect((await get(url)).status).toBe(404);
    await send('DELETE', `/api/feeds/${list.id}`);
    expect((await get(list.opml_url)).status).toBe(404);
  });
});

describe('POST /api/feeds', () => {
  it.each([
    ['no source', {}, 'source'],
    ['a text that is no ID', { source: 'talks' }, 'source'],
    ['an unknown batch', { source: '01JD5Z3K6VQ0W8R9T2X4Y6B8CZ' }, 'source'],
    ['artwork that is no URL', { source: 'feeds', image_url: 'file:///etc/passwd' }, 'image_url'],
    ['a language that is none', { source: 'feeds', language: '!' }, 'language'],
  ])('refuses %s, and names the field', async (_what, body, field) => {
    expect(await send('POST', '/api/feeds', body)).toMatchObject({ status: 400, body: { details: [{ path: field }] } });
  });

  it('takes up to 100 feeds of one caller, and lists them by pages', async () => {
    const { text, id } = await facades.deps.keys.create({ name: 'many', scopes: ['read', 'jobs'] });
    const headers = { authorization: `Bearer ${text}` };
    const fields = {
      startedBy: id,
      source: batchId,
      title: 'x',
      language: 'en',
      hash: '',
      createdAt: '2026-11-21T09:30:00.123456Z',
    };
    for (let count = 0; count < 100; count += 1) await facades.deps.podcastFeeds.create({ id: ulid(), ...fields });
    expect((await send('POST', '/api/feeds', { source: 'feeds' }, headers)).status).toBe(400);
    const first = feedListSchema.parse((await send('GET', '/api/feeds?limit=60', undefined, headers)).body);
    const rest = await send('GET', `/api/feeds?limit=60&cursor=${String(first.next_cursor)}`, undefined, headers);
    const ids = [...first.feeds, ...feedListSchema.parse(rest.body).feeds].map((feed) => feed.id);
    expect([ids.length, new Set(ids).size]).toEqual([100, 100]);
  });
});
