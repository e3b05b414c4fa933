import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { transcriptSchema } from '../../contract/kinds/transcript.ts';
import type { TranscriptParameters } from '../../contract/kinds/transcript-request.ts';
import type { TranscriptFacts } from '../../contract/kinds/transcript-facts.ts';
import type { JobInput } from '../../contract/job-input.ts';
import { aTranscriptJob, keepJob } from '../helpers/jobs.ts';
import { startFacades, type Facades } from '../helpers/rest-app.ts';

let facades: Facades;
const started: (readonly [workflow: string, job: JobInput])[] = [];
beforeAll(async () => {
  facades = await startFacades();
});
afterAll(() => facades.close());
beforeEach(() => {
  for (const fake of Object.values(facades.jobs)) fake.mockClear();
  started.length = 0;
  facades.jobs.start.mockImplementation((workflow, job) => {
    started.push([workflow, job]);
    return Promise.resolve('started');
  });
});

const request = (body: object, headers = {}) => facades.post('/api/transcripts', JSON.stringify(body), headers);
const parametersOf = (): TranscriptParameters => started[0]?.[1].parameters as TranscriptParameters;

describe('POST /api/transcripts', () => {
  it.each([
    [{ url: 'https://youtu.be/speechUrl01' }, 'captions/speechUrl01/en', { language: 'en', includeComments: false }],
    [
      { vidnet_video_id: 'speechUrl02', language: ['de', 'EN', 'de'] },
      'captions/speechUrl02/de,en',
      { language: 'de', languages: ['de', 'en'], includeComments: false },
    ],
    [{ vidnet_video_id: 'speechUrl03', mode: 'native' }, 'captions/speechUrl03/en', { language: 'en' }],
    [{ vidnet_video_id: 'speechUrl04', mode: null, url: null }, 'captions/speechUrl04/en', { language: 'en' }],
  ])('of %j is a request for captions', async (body, subjectId, parameters) => {
    expect((await request({ language: 'en', ...body })).status).toBe(202);
    expect(started).toMatchObject([['transcript', { subjectId, price: 3, parameters }]]);
    expect(parametersOf().mode).toBeUndefined();
  });

  it.each([
    ['speechUrl05', { vidnet_video_id: 'speechUrl05', mode: 'auto', language: 'en' }, '/en/mode-auto', 3],
    ['speechUrl06', { url: 'https://youtu.be/speechUrl06', mode: 'generate' }, '/mode-generate', 0],
  ])('of %s with a mode is another job, whose speech is charged by its own', async (id, body, end, price) => {
    expect((await request(body)).status).toBe(202);
    expect(started).toMatchObject([['transcript', { subjectId: `captions/${id}${end}`, mediaId: id, price }]]);
    expect(parametersOf()).toMatchObject({ mode: body.mode, speechId: expect.any(String) as string });
    expect(parametersOf().url).toBeUndefined();
  });

  it('reads the captions of a page of another site, at the rate of that site', async () => {
    const url = 'https://media.example/talk?utm_source=a';
    expect((await request({ url, language: 'en' })).status).toBe(202);
    const page = { url: 'https://media.example/talk', site: 'media.example' };
    expect(started).toMatchObject([['transcript', { parameters: { url, page } }]]);
    expect(started[0]?.[1].subjectId).toMatch(/^captions\/media\/[0-9a-f]{32}\/en$/);
  });

  it('transcribes a post of the photo platform, which has no captions', async () => {
    const url = 'https://www.instagram.com/reel/DSpeechTwo1/';
    expect((await request({ url, language: 'en', mode: 'auto' })).status).toBe(202);
    const subjectId = 'captions/imgnet_audio/DSpeechTwo1/en/mode-auto';
    expect(started).toMatchObject([['transcript', { subjectId, mediaId: 'DSpeechTwo1', parameters: { url } }]]);
  });

  it.each([
    ['two sources', { url: 'https://example.com/a', vidnet_video_id: 'kX3vQ9mTz0A' }, ['vidnet_video_id', 'url']],
    ['no source', {}, ['vidnet_video_id']],
    ['no language', { vidnet_video_id: 'kX3vQ9mTz0A', language: undefined }, ['language']],
    ['no language', { vidnet_video_id: 'kX3vQ9mTz0A', language: undefined, mode: 'auto' }, ['language']],
    ['an empty list', { vidnet_video_id: 'kX3vQ9mTz0A', language: [] }, ['language']],
    ['an unknown mode', { vidnet_video_id: 'kX3vQ9mTz0A', mode: 'speech' }, ['mode']],
    ['a channel', { url: 'https://www.youtube.com/@evening-talks' }, ['url']],
    ['a private address', { url: 'http://10.0.0.1/a', mode: 'auto' }, ['url']],
    ['captions of a post', { url: 'https://www.instagram.com/p/DSpeechOne1/' }, ['url']],
    ['comments of a page', { url: 'https://example.com/a', include_comments: true }, ['include_comments']],
  ])('refuses %s by the field: %j', async (_, body, paths) => {
    const answer = await request({ language: 'en', ...body });
    expect(answer.status).toBe(400);
    expect((answer.body['details'] as { path: string }[]).map(({ path }) => path)).toEqual(paths);
    expect(started).toEqual([]);
  });

  it('refuses a list with a wrong language by its index', async () => {
    const answer = await request({ vidnet_video_id: 'kX3vQ9mTz0A', language: ['en', 'not a language'] });
    expect([answer.status, JSON.stringify(answer.body['details'])]).toEqual([400, expect.stringContaining('language')]);
  });

  it('refuses a spoken language that no engine knows, and too little credit, before it starts', async () => {
    vi.spyOn(facades.deps.speechLanguages, 'known').mockResolvedValueOnce(['en']);
    const body = { vidnet_video_id: 'speechUrl07', mode: 'generate' };
    const unknown = await request({ ...body, language: 'tlh' });
    expect(unknown).toMatchObject({ status: 400, body: { details: [{ path: 'language' }] } });
    const key = await facades.deps.keys.create({ name: 'test', scopes: ['read', 'jobs'] });
    await facades.deps.accounts.open(key.id, 10);
    const poor = await request(body, { authorization: `Bearer ${key.text}` });
    expect(poor).toMatchObject({ status: 402, body: { price: '0.011', credit: '0.010' } });
    expect(started).toEqual([]);
  });
});

describe('a transcript says what it is', () => {
  const video = { link: 'https://media.example/talk', title: 'Tea' };
  const lines = [{ startSeconds: 0.5, durationSeconds: 1, text: 'Hello.', speaker: 'Speaker 1' }];
  async function answerOf(parameters: Partial<TranscriptParameters>, facts: Partial<TranscriptFacts>) {
    const job = aTranscriptJob({ parameters: { language: 'en', includeComments: false, ...parameters } });
    await facades.contents.putFacts(job.recordId, { video, lines, ...facts });
    const { id } = await keepJob(facades.deps.records, job, { status: 'success', result: { charge: 0 } });
    const answer = await fetch(`${facades.url}/api/transcripts/${id}`);
    return { id, body: transcriptSchema.parse(await answer.json()) };
  }

  it('if it is of what is spoken on a page', async () => {
    const speech = { recordId: '01JD5Z3K6VQ0W8R9T2X4Y6B8CD', cost: 11, reason: 'The video has no captions.' };
    const track = { language: 'de', kind: 'speech' } as const;
    const url = 'https://media.example/talk';
    const { id, body } = await answerOf({ mode: 'auto', url, page: { url } }, { track, speech });
    expect(body).toMatchObject({
      video: { vidnet_id: null, transcriptsWithTimeStamps: [{ speaker: 'Speaker 1', text: 'Hello.' }] },
      track: { language: 'de', kind: 'speech', name: null },
      source: { kind: 'speech', reason: speech.reason, download_id: speech.recordId, cost: '0.011' },
      download: { vidnet_video_id: null },
    });
    const record = await fetch(`${facades.url}/downloads/${id}`);
    expect(await record.json()).toMatchObject({ data: { vidnet_video_id: null, url, language: 'en' } });
  });

  it('if it is of captions', async () => {
    const track = { language: 'en-GB', kind: 'automatic' } as const;
    const reason = 'There are automatic captions in `en-GB`.';
    expect((await answerOf({ mode: 'auto' }, { track })).body.source).toEqual({ kind: 'captions', reason });
    expect((await answerOf({}, { track })).body).not.toHaveProperty('source');
  });
});
