import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { finishRecord } from '../../store/records/finish-record.ts';
import { keepAudio } from '../helpers/kept-audio.ts';
import { startFacades, type Facades } from '../helpers/rest-app.ts';
import { unicodeText, webUrl } from '../helpers/texts.ts';

let facades: Facades;
beforeAll(async () => {
  facades = await startFacades();
  facades.webhooks.post.mockResolvedValue({ kind: 'answered', statusCode: 204, durationMs: 1 });
});
afterAll(() => facades.close());

const text = fc.oneof(fc.string(), unicodeText(60));
const webhook = fc.oneof(
  webUrl,
  fc.constantFrom('https://hooks.example.com/a', 'http://10.0.0.1/', 'http://localhost:1', 'ftp://a.example/'),
  text,
);
const anything = fc.jsonValue();
const field = (valid: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> =>
  fc.oneof({ weight: 4, arbitrary: valid }, { weight: 1, arbitrary: anything });
/** A new value for each request, so that requests share no job. */
const videoId = fc.constant(0).map(() => randomBytes(9).toString('base64url').slice(0, 11));
const ulid = fc.stringMatching(/^[0-7][0-9A-HJKMNP-TV-Z]{25}$/);
const language = fc.constantFrom('en', 'pt-br', 'iw', 'english language', 'x');
const channel = fc.oneof(
  videoId.map((name) => `https://www.youtube.com/@${name}`),
  webUrl,
  text,
);
const account = fc.oneof(fc.constantFrom('@a.b', 'https://www.instagram.com/p/x', 'instagram.com/a_b'), text);
const post = fc.oneof(
  videoId.map((code) => `https://www.instagram.com/reel/${code}/`),
  webUrl,
  text,
);
const days = fc.oneof(fc.integer(), fc.double(), fc.constantFrom('7', -1, 1_000_000));

const REQUESTS: readonly (readonly [string, string, Record<string, fc.Arbitrary<unknown>>])[] = [
  ['/api/downloads/audio', 'downloads.audio', { vidnet_video_id: videoId }],
  ['/api/downloads/video', 'downloads.video', { vidnet_video_id: videoId }],
  ['/api/transcripts', 'transcripts.request', { vidnet_video_id: videoId, language, include_comments: fc.boolean() }],
  ['/api/channel/profile', 'channels.profile', { url: channel }],
  [
    '/api/transcriptspeakerid',
    'speakers.request',
    {
      transcript_with_speaker_id: ulid,
      language,
      speakers: fc.record({ min: days, max: days, exact: days }, { requiredKeys: [] }),
    },
  ],
  ['/api/imgnet/profile', 'imgnet.profile', { url: account }],
  ['/api/imgnet/list', 'imgnet.list', { list_id: text, max_age_days: days }],
  ['/api/imgnet/content', 'imgnet.content', { url: post }],
  ['/api/imgnet/audio', 'imgnet.audio', { url: post }],
  ['/api/webhook/test', 'webhook.test', { url: webhook }],
];

/** Removes valid values that differ from job to job. */
const OWN = new Set(['id', 'download_id', 'created_at', 'transcript_speaker_id', 'list_id']);
const OF_ITS_OWN = /^(?:[0-7][0-9A-HJKMNP-TV-Z]{25}|\d{4}-\d\d-\d\dT[\d:.]+Z)$/;
function seen(body: unknown): unknown {
  return JSON.parse(JSON.stringify(body), (key, value: unknown) =>
    OWN.has(key) && typeof value === 'string' && OF_ITS_OWN.test(value) ? '…' : value,
  );
}

async function overRpc(procedure: string, input: unknown): Promise<{ isRefused: boolean; body: unknown }> {
  const answer = await fetch(`${facades.rpcUrl}/${procedure}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${facades.rpcToken}` },
    body: JSON.stringify(input),
  });
  const { result, error } = (await answer.json()) as {
    result?: { data: unknown };
    error?: { data: { body: unknown } };
  };
  return result === undefined ? { isRefused: true, body: error?.data.body } : { isRefused: false, body: result.data };
}

/** The valid input of each path. */
async function acceptable(path: string): Promise<Record<string, unknown>> {
  const id = randomBytes(9).toString('base64url').slice(0, 11);
  switch (path) {
    case '/api/channel/profile':
      return { url: `https://www.youtube.com/@${id}` };
    case '/api/transcriptspeakerid':
      return { transcript_with_speaker_id: (await keepAudio(facades)).id };
    case '/api/imgnet/profile':
      return { url: 'https://www.instagram.com/a_b/' };
    case '/api/imgnet/list': {
      const { body } = await facades.post('/api/imgnet/profile', JSON.stringify({ url: '@tea.house' }));
      const listId = String(body['list_id']);
      const url = 'https://www.instagram.com/tea.house/';
      await facades.contents.putFacts(listId, { account: 'tea.house', profile_url: url, url });
      await finishRecord(facades.deps.records, listId, { status: 'success', result: {} });
      return { list_id: listId };
    }
    case '/api/imgnet/content':
    case '/api/imgnet/audio':
      return { url: `https://www.instagram.com/reel/${id}/` };
    case '/api/webhook/test':
      return { url: 'https://hooks.example.com/a' };
    default:
      return { vidnet_video_id: id, language: 'en' };
  }
}

describe('REST and tRPC', () => {
  it.each(REQUESTS)('give the same answers for %s', async (path, procedure, fields) => {
    const input = fc.record(
      Object.fromEntries(
        Object.entries({ ...fields, include_webhook: webhook }).map(([name, valid]) => [name, field(valid)]),
      ),
      { requiredKeys: Object.keys(fields).slice(0, 1) },
    );
    const outcomes = new Set<boolean>();
    await fc.assert(
      fc.asyncProperty(input, async (sent) => {
        const { status, body } = await facades.post(path, JSON.stringify(sent));
        const other = await overRpc(procedure, sent);
        expect(seen(other.body)).toEqual(seen(body));
        expect(other.isRefused).toBe(status >= 400);
        outcomes.add(other.isRefused);
      }),
      { numRuns: 30, endOnFailure: false, examples: [[await acceptable(path)], [{}]] },
    );
    expect(outcomes).toEqual(new Set([false, true]));
  });
});
