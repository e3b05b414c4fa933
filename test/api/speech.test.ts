import { ulid } from 'ulid';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { type JobInput, pendingRecordOf } from '../../contract/job-input.ts';
import { speakerLabelsPendingSchema, speakerLabelsSchema } from '../../contract/kinds/speaker-labels.ts';
import { aLabelsJob, keepAudio, keepLabels } from '../helpers/kept-audio.ts';
import { anAudioJob, keepJob } from '../helpers/jobs.ts';
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

const hook = { include_webhook: 'https://example.com/hook' };
const UNKNOWN = '01JD5Z3K6VQ0W8R9T2X4Y6B8CD';
let videos = 0;
const videoId = (): string => `speech${String((videos += 1)).padStart(5, '0')}`;
async function request(body: object, key?: string) {
  const response = await fetch(`${facades.url}/api/speech`, {
    method: 'POST',
    headers: key === undefined ? {} : { authorization: `Bearer ${key}` },
    body: JSON.stringify(body),
  });
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
}
async function aKey(credit: number) {
  const key = await facades.deps.keys.create({ name: 'test', scopes: ['read', 'jobs'] });
  await facades.deps.accounts.open(key.id, credit);
  return { ...key, account: () => facades.deps.accounts.get(key.id) };
}

describe('POST /api/speech', () => {
  it('starts the audio and the labels that wait for it, with the webhook, and answers with the job of the labels', async () => {
    const id = videoId();
    const answer = await request({ vidnet_video_id: id, language: 'EN', speakers: { exact: 2 }, ...hook });
    expect(answer.status).toBe(202);
    const body = speakerLabelsPendingSchema.strict().parse(answer.body);
    const [[first, audio], [second, labels]] = started as [(typeof started)[0], (typeof started)[0]];
    expect([first, second, started.length]).toEqual(['audio', 'speakerLabels', 2]);
    expect(audio).toMatchObject({ subjectId: `audio/${id}`, price: 5, endsWithStarter: true });
    expect(audio.webhookUrl).toBeUndefined();
    expect(labels).toMatchObject({
      recordId: body.download_id,
      webhookUrl: hook.include_webhook,
      parameters: {
        ...{ audioId: audio.recordId, language: 'en', minSpeakers: 2, maxSpeakers: 2 },
        awaits: { subjectId: audio.subjectId, price: 5, source: { vidnet_video_id: id } },
      },
    });
    expect(body).toMatchObject({
      transcript_speaker_id: audio.recordId,
      transcript_speaker_cost: '0.006',
      cost: '0.011',
    });
    const got = await fetch(`${facades.url}/api/speech/${body.download_id}`);
    expect([got.status, await got.json()]).toEqual([202, body]);
    expect(await facades.rpc.speech.get.query({ download_id: body.download_id })).toEqual(body);
  });

  it.each([
    ['a link of the video platform', `https://youtu.be/${videoId()}`, 'audio'],
    ['a post of the photo platform', 'https://www.instagram.com/reel/DSpeechOne1/', 'imgnetAudio'],
    ['a page of another site', 'https://example.com/talk', 'media'],
  ])('fetches the audio of %s', async (_, url, workflow) => {
    expect((await request({ url })).status).toBe(202);
    expect(started.map(([name]) => name)).toEqual([workflow, 'speakerLabels']);
    expect(started[1]?.[1].parameters).toMatchObject({
      awaits: { subjectId: started[0]?.[1].subjectId, source: { url } },
    });
  });

  it('uses a finished audio and a finished transcript', async () => {
    const id = videoId();
    const audio = await keepAudio(facades, anAudioJob({ mediaId: id, subjectId: `audio/${id}` }));
    const first = await request({ vidnet_video_id: id });
    expect(first).toMatchObject({
      status: 202,
      body: { transcript_speaker_id: audio.id, transcript_speaker_cost: '0.012' },
    });
    expect(first.body).not.toHaveProperty('cost');
    expect(started.map(([name]) => name)).toEqual(['speakerLabels']);
    await keepLabels(facades, aLabelsJob(audio));
    for (const body of [{ vidnet_video_id: id }, { download_id: audio.id }]) {
      const again = await request(body);
      expect(again.status).toBe(200);
      expect(speakerLabelsSchema.parse(again.body)).toMatchObject({ transcript_speaker_id: audio.id });
    }
    expect(started).toHaveLength(1);
  });

  it('joins the running audio of another caller, and pays only for the labels', async () => {
    const id = videoId();
    const running = anAudioJob({ mediaId: id, subjectId: `audio/${id}` });
    await keepJob(facades.deps.records, running);
    facades.jobs.running.mockResolvedValueOnce({ running, runId: 'run-1' });
    const key = await aKey(6);
    expect((await request({ vidnet_video_id: id }, key.text)).status).toBe(202);
    expect(started.map(([name]) => name)).toEqual(['speakerLabels']);
    expect(started[0]?.[1].parameters).toMatchObject({ awaits: { subjectId: running.subjectId, price: undefined } });
    expect(await key.account()).toMatchObject({ available: 0 });
  });

  it('starts neither job if the credit does not suffice for both', async () => {
    const key = await aKey(10);
    const refused = await request({ vidnet_video_id: videoId() }, key.text);
    expect(refused).toMatchObject({
      status: 402,
      body: { code: 'insufficient_credit', price: '0.011', credit: '0.010' },
    });
    expect(started).toEqual([]);
    expect(await key.account()).toMatchObject({ available: 10, spent: 0 });
  });

  it('cancels the audio that it started if its labels cannot be started', async () => {
    facades.jobs.start.mockImplementation((workflow) =>
      workflow === 'audio' ? Promise.resolve('started') : Promise.reject(new Error('Temporal is away')),
    );
    const id = videoId();
    expect((await request({ vidnet_video_id: id })).status).toBe(500);
    expect(facades.jobs.cancel.mock.calls).toMatchObject([[{ subjectId: `audio/${id}` }]]);
  });

  it.each([
    ['two sources', { url: 'https://example.com/a', vidnet_video_id: 'kX3vQ9mTz0A' }, 400, ['url', 'vidnet_video_id']],
    ['none', {}, 400, ['url']],
    ['no URL', { url: 'nonsense' }, 400, ['url']],
    ['a channel', { url: 'https://www.youtube.com/@evening-talks' }, 400, ['url']],
    ['a playlist', { url: 'https://www.youtube.com/playlist?list=PL1' }, 400, ['url']],
    ['a private address', { url: 'http://10.0.0.1/a' }, 400, ['url']],
    ['an unknown download', { download_id: UNKNOWN }, 404, ['download_id']],
    ['too many speakers', { url: 'https://example.com/a', speakers: { exact: 21 } }, 400, ['speakers.exact']],
    [
      'a forbidden webhook',
      { url: 'https://example.com/a', include_webhook: 'http://10.0.0.1/' },
      400,
      ['include_webhook'],
    ],
  ])('refuses %s by the field, and starts nothing', async (_, body, status, paths) => {
    const answer = await request(body);
    expect(answer.status).toBe(status);
    const details = answer.body['details'] as { readonly path: string }[];
    expect(details.map(({ path }) => path)).toEqual(paths);
    expect(started).toEqual([]);
  });

  it('refuses a language that no engine knows before the audio is fetched', async () => {
    vi.spyOn(facades.deps.speechLanguages, 'known').mockResolvedValueOnce(['en']);
    const answer = await request({ vidnet_video_id: videoId(), language: 'tlh' });
    expect(answer).toMatchObject({ status: 400, body: { details: [{ path: 'language' }] } });
    expect(started).toEqual([]);
  });

  it('refuses a download that failed by the field', async () => {
    const failure = { code: 'unsupported', message: 'It holds no recording.' } as const;
    const { id } = await keepJob(facades.deps.records, anAudioJob({ type: 'upload' }), { status: 'failed', failure });
    expect(await request({ download_id: id })).toMatchObject({
      status: 400,
      body: { code: 'audio_failed', id, details: [{ path: 'download_id' }] },
    });
    expect(started).toEqual([]);
  });

  it.each(['list', 'captions'] as const)('refuses a download without sound: %s', async (type) => {
    const record = await keepJob(facades.deps.records, anAudioJob({ type }));
    expect(await request({ download_id: record.id })).toMatchObject({
      status: 400,
      body: { details: [{ path: 'download_id' }] },
    });
    const silent = await keepAudio(facades, { type: 'vidnet_video' }, 'silence');
    expect(await request({ download_id: silent.id })).toMatchObject({
      status: 400,
      body: { details: [{ path: 'download_id' }] },
    });
    expect(started).toEqual([]);
  });
});

it('does not join an audio that is being cancelled, but waits for its end and starts another one', async () => {
  const id = videoId();
  const running = anAudioJob({ mediaId: id, subjectId: `audio/${id}`, endsWithStarter: true });
  const { records } = facades.deps;
  await records.insertIfAbsent(pendingRecordOf(running));
  expect(await records.noteInterest(running.recordId, 'abandoned')).toBe('abandoned');
  facades.jobs.start.mockResolvedValueOnce({ running, runId: 'run-1' });
  expect((await request({ vidnet_video_id: id })).status).toBe(202);
  expect(facades.jobs.waitFor).toHaveBeenCalledWith({ subjectId: running.subjectId, runId: 'run-1' }, 5_000);
  expect(started.map(([name]) => name)).toEqual(['audio', 'speakerLabels']);
});

it.each([
  ['a transcript', {}],
  ['a batch', { batchId: ulid() }],
])('keeps the audio of %s for a caller that requests it meanwhile', async (_starter, batch) => {
  const running = anAudioJob({ endsWithStarter: true, ...batch });
  await facades.deps.records.insertIfAbsent(pendingRecordOf(running));
  facades.jobs.start.mockResolvedValueOnce({ running, runId: 'run-1' });
  const answer = await facades.post('/api/downloads/audio', JSON.stringify({ vidnet_video_id: running.mediaId }));
  expect(answer).toMatchObject({ status: 409, body: { code: 'pending_duplicate', id: running.recordId } });
  expect(await facades.deps.records.noteInterest(running.recordId, 'abandoned')).toBe('shared');
});

it('says that the audio is required if no labels of it were requested', async () => {
  const audio = await keepJob(facades.deps.records, anAudioJob());
  const answer = await fetch(`${facades.url}/api/transcriptspeakerid/${audio.id}`);
  expect([answer.status, await answer.json()]).toEqual([
    202,
    {
      status: 'pending',
      message: 'The audio download is in progress; it is required before the transcription.',
      transcript_speaker_id: audio.id,
    },
  ]);
  expect(started).toEqual([]);
});
