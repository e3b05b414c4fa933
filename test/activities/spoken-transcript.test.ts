import { randomUUID } from 'node:crypto';
import { MockActivityEnvironment } from '@temporalio/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, inject, it, vi } from 'vitest';
import { ulid } from 'ulid';
import { createSpokenTranscriptActivities, type SpokenTranscriptDeps } from '../../activities/spoken-transcript.ts';
import { ApiError } from '../../contract/http/api-error.ts';
import type { JobInput } from '../../contract/job-input.ts';
import type { TranscriptParameters } from '../../contract/kinds/transcript-request.ts';
import type { TranscriptFacts } from '../../contract/kinds/transcript-facts.ts';
import { createKeyStore } from '../../store/accounts/key-store.ts';
import { createContentsStore, type ContentsStore } from '../../store/records/contents-store.ts';
import { openMongo, type Mongo } from '../../store/mongo/mongo-client.ts';
import { createRecordStore, type RecordStore } from '../../store/records/record-store.ts';
import { loadConfig } from '../../config.ts';
import { wholeOf } from '../helpers/contents.ts';
import { aSpeakerLabelsJob, aTranscriptJob, keepJob } from '../helpers/jobs.ts';
import { LABELS, SILENCE } from '../helpers/kept-audio.ts';

let mongo: Mongo;
let records: RecordStore;
let contents: ContentsStore;
const startSpeech = vi.fn<SpokenTranscriptDeps['startSpeech']>();
beforeAll(() => {
  mongo = openMongo({ uri: inject('mongodbUri'), database: `spoken-${randomUUID().slice(0, 8)}`, timeoutMs: 5_000 });
  records = createRecordStore(mongo.db);
  contents = createContentsStore(mongo.db);
});
afterAll(async () => {
  await mongo.db.dropDatabase();
  await mongo.close();
});
beforeEach(() => {
  startSpeech.mockReset();
});

const { prices } = loadConfig({});
const activities = () =>
  createSpokenTranscriptActivities({
    ...{ records, contents, startSpeech, keys: createKeyStore(mongo.db), rendering: { prices } },
    cancelItem: () => Promise.resolve(),
    endIfGone: (record) => Promise.resolve(record),
  });
const env = () => new MockActivityEnvironment();
const factsOf = async (id: string) => (await wholeOf(await contents.facts<TranscriptFacts>(id))) as TranscriptFacts;
const missing = 'There are no captions in `en`. There are: de.';

async function aTranscript(parameters: Partial<TranscriptParameters> = {}, startedBy = 'anonymous') {
  const speechId = ulid();
  const all = { language: 'en', includeComments: false, mode: 'auto', speechId, ...parameters } as const;
  const job = aTranscriptJob({ parameters: all, startedBy });
  await keepJob(records, job);
  await contents.putFacts(job.recordId, {
    video: { videoId: job.mediaId, link: 'https://a.example', title: 'Tea' },
    track: { language: 'und', kind: 'speech' },
    lines: [],
    speech: { cost: 0, reason: missing },
  });
  return { job, speechId, begin: () => env().run(activities().beginSpeech, job.recordId) };
}

async function speechOf(id: string, outcome?: Parameters<typeof keepJob>[2], labels = LABELS) {
  const job: JobInput = { ...aSpeakerLabelsJob(), recordId: id, endsWithStarter: true };
  await contents.putFacts(id, labels);
  const awaits = { subjectId: 'audio/a', price: 5 };
  return keepJob(records, { ...job, parameters: { ...job.parameters, awaits } }, outcome);
}

describe('the speech of a transcript', () => {
  it('is started with the ID that the transcript knows, once, in the language only if that is the spoken one', async () => {
    const auto = await aTranscript();
    const own = await speechOf(auto.speechId);
    startSpeech.mockResolvedValue(own);
    const begun = { job: { recordId: auto.speechId, subjectId: own.subjectId } };
    expect([await auto.begin(), await auto.begin()]).toEqual([begun, begun]);
    const order = { vidnet_video_id: auto.job.mediaId, language: undefined, recordId: auto.speechId, order: {} };
    expect(startSpeech.mock.calls[0]).toEqual([{ kind: 'anonymous' }, order]);
    expect(await records.noteInterest(own.id, 'abandoned')).toBe('abandoned');

    const url = 'https://media.example/talk';
    const spoken = await aTranscript({ mode: 'generate', url, page: { url } });
    await spoken.begin();
    expect(startSpeech.mock.lastCall?.[1]).toMatchObject({ url, language: 'en' });
    const unsure = await aTranscript({ mode: 'generate', languages: ['en', 'de'] });
    await unsure.begin();
    expect(startSpeech.mock.lastCall?.[1]).toMatchObject({ language: undefined });
  });

  it('is not cancelled with the transcript if another request started it', async () => {
    const { begin } = await aTranscript();
    const other = await speechOf(ulid());
    startSpeech.mockResolvedValue(other);
    expect(await begin()).toMatchObject({ job: { recordId: other.id } });
    expect(await records.noteInterest(other.id, 'abandoned')).toBe('shared');
  });

  it('becomes the transcript, with the speakers, the reason and what it cost, however often the step is repeated', async () => {
    const { job, speechId } = await aTranscript();
    const wait = () => env().run(activities().awaitSpeech, { recordId: job.recordId, speechId });
    await speechOf(speechId);
    await expect(wait()).rejects.toMatchObject({ type: 'later', nonRetryable: false });
    await records.finish(speechId, { status: 'success', result: { charge: 12 } }, '2026-11-21T09:31:00.000000Z');
    const ready = { result: { charge: 0, durationSeconds: 61.2 } };
    expect([await wait(), await wait()]).toEqual([ready, ready]);
    expect(await factsOf(job.recordId)).toEqual({
      video: { videoId: job.mediaId, link: 'https://a.example', title: 'Tea' },
      track: { language: 'en', kind: 'speech' },
      lines: [
        { startSeconds: 0.5, durationSeconds: 1.25, text: 'Shall we <begin>?', speaker: 'Speaker 1' },
        { startSeconds: 2, durationSeconds: 0.5, text: 'Yes.', speaker: 'Speaker 2' },
      ],
      speech: { recordId: speechId, cost: 17, reason: missing },
    });
  });

  it('is empty and of no language without speech, and free if another request paid for it', async () => {
    const { job } = await aTranscript({ mode: 'generate', includeComments: true });
    const other = await speechOf(ulid(), { status: 'success', result: { charge: 0 } }, SILENCE);
    const wait = env().run(activities().awaitSpeech, { recordId: job.recordId, speechId: other.id });
    expect(await wait).toMatchObject({ result: { charge: 2 } });
    const facts = await factsOf(job.recordId);
    expect(facts).toMatchObject({ track: { language: 'und' }, lines: [], speech: { recordId: other.id, cost: 0 } });
    expect(facts.speech).not.toHaveProperty('reason');
  });

  it('is empty for a post without sound', async () => {
    const { job, begin } = await aTranscript();
    startSpeech.mockResolvedValue(undefined);
    expect(await begin()).toEqual({ result: { charge: 0 } });
    expect(await factsOf(job.recordId)).toMatchObject({ lines: [], speech: { cost: 0, reason: missing } });
  });

  it('fails the transcript with its own failure', async () => {
    const { job, speechId } = await aTranscript();
    const failure = { code: 'no_audio', message: 'The video has no audio.' } as const;
    await speechOf(speechId, { status: 'failed', failure });
    expect(await env().run(activities().awaitSpeech, { recordId: job.recordId, speechId })).toEqual({ failure });
  });

  it('is refused with the reason, tried again while the service is busy, and not started for a revoked key', async () => {
    const { begin } = await aTranscript();
    startSpeech.mockRejectedValueOnce(new ApiError('insufficient_credit', 'This costs 0.011.'));
    const failure = { code: 'insufficient_credit', message: 'This costs 0.011.' };
    expect(await begin()).toEqual({ failure });
    startSpeech.mockRejectedValueOnce(new ApiError('unavailable', 'Busy.', { retryAfterSeconds: 5 }));
    await expect(begin()).rejects.toMatchObject({ type: 'later' });
    startSpeech.mockRejectedValueOnce(new Error('The database is away.'));
    await expect(begin()).rejects.toThrow('The database is away.');
    const revoked = await aTranscript({}, 'abcdef0123456789');
    expect(await revoked.begin()).toMatchObject({ failure: { message: 'The API key of the request was revoked.' } });
  });
});
