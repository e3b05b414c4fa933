import { ulid } from 'ulid';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { webhookMessage, type EndedWork } from '../../activities/webhook-message.ts';
import { operations } from '../../api/operations/operations.ts';
import type { FailureCode } from '../../contract/failures.ts';
import type { JobInput } from '../../contract/job-input.ts';
import type { JobOutcome } from '../../contract/download-record.ts';
import { finishRecord } from '../../store/records/finish-record.ts';
import { keepAudio } from '../helpers/kept-audio.ts';
import { startFacades, type Facades } from '../helpers/rest-app.ts';

let facades: Facades;
beforeAll(async () => {
  facades = await startFacades();
});
afterAll(() => facades.close());
beforeEach(() => {
  vi.clearAllMocks();
  facades.jobs.waitFor.mockReset().mockResolvedValue();
});

const started = (): JobInput[] => facades.jobs.start.mock.calls.map(([, input]) => input);
const failedAs = (code: FailureCode): JobOutcome => ({ status: 'failed', failure: { code, message: 'It is so.' } });

/** The jobs that a request starts end while it waits for them. */
function endWhileWaiting(outcomeOf: (job: JobInput) => JobOutcome): void {
  facades.jobs.waitFor.mockImplementation(async () => {
    for (const job of started()) await finishRecord(facades.deps.records, job.recordId, outcomeOf(job));
  });
}

async function waitFor(path: string, body: object, headers: Record<string, string> = { prefer: 'wait=5' }) {
  const response = await fetch(facades.url + path, { method: 'POST', headers, body: JSON.stringify(body) });
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
}

async function overRpc(procedure: string, input: object): Promise<{ status: number; data: unknown }> {
  const response = await fetch(`${facades.rpcUrl}/${procedure}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${facades.rpcToken}` },
    body: JSON.stringify(input),
  });
  const { result } = (await response.json()) as { result?: { data: unknown } };
  return { status: response.status, data: result?.data };
}

/** The body and the original status of a job's webhook. */
async function webhookOf({ recordId }: JobInput): Promise<{ status: number; body: unknown }> {
  const record = (await facades.deps.records.get(recordId))!;
  const delivery = {
    ...{ id: `webhook/${recordId}/1`, recordId, url: 'https://example.com/', endpoint: 'of no interest' },
    ...{ state: 'pending' as const, createdAt: record.createdAt, attempts: [] },
  };
  const { headers, body } = await webhookMessage(delivery, record as EndedWork, facades.deps);
  return { status: Number(headers['X-Webhook-Original-Status']), body: JSON.parse(body as string) };
}

/** @returns the list_id of a fetched profile */
async function listId(): Promise<string> {
  const { body } = await waitFor('/api/imgnet/profile', { url: `@${ulid()}` }, {});
  const id = String(body['list_id']);
  const url = 'https://www.instagram.com/some.one/';
  await facades.contents.putFacts(id, { account: 'some.one', profile_url: url, url, posts_count: 3 });
  await finishRecord(facades.deps.records, id, { status: 'success', result: {} });
  facades.jobs.start.mockClear();
  return id;
}

const aCode = (): string => ulid().slice(-11);
type Request =
  'Audio' | 'Video' | 'Media' | 'MediaInfo' | 'Channel' | 'Transcript' | 'Speech' | 'SpeakerLabels' | `Imgnet${string}`;
const REQUESTS: readonly (readonly [keyof typeof operations & `request${Request}`, () => object | Promise<object>])[] =
  [
    ['requestAudio', () => ({ vidnet_video_id: aCode() })],
    ['requestVideo', () => ({ vidnet_video_id: aCode() })],
    ['requestMedia', () => ({ url: `https://example.com/${aCode()}`, format: 'audio' })],
    ['requestMediaInfo', () => ({ url: `https://example.com/${aCode()}` })],
    ['requestChannel', () => ({ url: `https://www.youtube.com/@${aCode()}` })],
    ['requestTranscript', () => ({ vidnet_video_id: aCode(), language: 'en' })],
    ['requestSpeech', async () => ({ download_id: (await keepAudio(facades)).id })],
    ['requestSpeakerLabels', async () => ({ transcript_with_speaker_id: (await keepAudio(facades)).id })],
    ['requestImgnetProfile', () => ({ url: `@${aCode()}` })],
    ['requestImgnetContent', () => ({ url: `https://www.instagram.com/p/${aCode()}/` })],
    ['requestImgnetAudio', () => ({ url: `https://www.instagram.com/p/${aCode()}/` })],
  ];
const FAULTS = [
  ['private', 400],
  ['upstream_error', 500],
  ['internal', 500],
] as const;
const BY_FAULT = FAULTS.flatMap(([code, status]) => REQUESTS.map(([name, input]) => ({ name, input, code, status })));

describe('a request that waits until its job fails', () => {
  it('is tested for every operation that can wait for the job that it starts', () => {
    const waiting = Object.entries(operations).filter(([, row]) => row.method === 'post' && 'wait' in row);
    expect(waiting.map(([name]) => name).toSorted()).toEqual(
      [...REQUESTS.map(([name]) => name), 'requestImgnetList'].toSorted(),
    );
  });

  it.each(BY_FAULT)('is answered with the status and the body of its webhook: $name, $code', async (given) => {
    const { name, code, status } = given;
    const input = await given.input();
    const { path, rpc, answers } = operations[name];
    endWhileWaiting(() => failedAs(code));
    const answer = await waitFor(path, input);
    const [job] = started();
    expect(answer).toEqual(await webhookOf(job!));
    expect(answer.status).toBe(status);
    expect(
      (answers as Record<number, { schema: { parse: (body: unknown) => unknown } }>)[status]!.schema.parse(answer.body),
    ).toEqual(answer.body);

    const looked = await fetch(`${facades.url}/downloads/${job!.recordId}`);
    expect([looked.status, await looked.json()]).toMatchObject([200, { data: { status: 'failed' } }]);

    // The next request starts a new job. Over tRPC its failure is a result with the same fields.
    const next = await overRpc(rpc, { ...input, wait_seconds: 5 });
    const [, repeated] = started();
    expect(repeated!.recordId).not.toBe(job!.recordId);
    expect(next).toEqual({ status: 200, data: (await webhookOf(repeated!)).body });
  });

  it('gets the same answer if the operation waits by default', async () => {
    endWhileWaiting(() => failedAs('no_captions'));
    const body = { vidnet_video_id: aCode(), language: 'en' };
    expect(await waitFor('/api/transcripts', body, {})).toMatchObject({
      status: 400,
      body: { status: 'failed', code: 'no_captions' },
    });
  });

  it('is answered 500 if the job is cancelled', async () => {
    endWhileWaiting(() => failedAs('cancelled'));
    const { status } = await waitFor('/api/transcripts', { vidnet_video_id: aCode(), language: 'en' });
    expect(status).toBe(500);
  });

  it('is answered with the failure of a terminated job even without waiting', async () => {
    facades.jobs.status.mockResolvedValueOnce({ state: 'gone' });
    const body = { url: `https://www.instagram.com/p/${aCode()}/` };
    expect(await waitFor('/api/imgnet/content', body, {})).toMatchObject({ status: 500, body: { code: 'cancelled' } });
  });
});

describe('a request for a list that waits until its jobs fail', () => {
  const both = (posts: FailureCode, reels: FailureCode) => (job: JobInput) =>
    failedAs(job.type === 'imgnet_list_posts' ? posts : reels);

  it.each([
    ['private', 'private', 400],
    ['upstream_error', 'upstream_error', 500],
    ['private', 'upstream_error', 400],
    ['upstream_error', 'private', 500],
  ] as const)('has the status of its code: posts %s, reels %s', async (posts, reels, status) => {
    const body = { list_id: await listId() };
    endWhileWaiting(both(posts, reels));
    const answer = await waitFor('/api/imgnet/list', body);
    expect(answer).toMatchObject({ status, body: { status: 'failed', code: posts } });
    expect(operations.requestImgnetList.answers[status].schema.parse(answer.body)).toEqual(answer.body);
    expect((await webhookOf(started()[0]!)).status).toBe(status);
    expect(await overRpc('imgnet.list', { ...body, wait_seconds: 5 })).toMatchObject({
      status: 200,
      data: { status: 'failed', code: posts },
    });
  });

  it('is a success if one of the two parts is', async () => {
    const body = { list_id: await listId() };
    endWhileWaiting(({ type }) =>
      type === 'imgnet_list_posts'
        ? { status: 'success', result: { lists: { posts: { pieces: 0, items: 0 } } } }
        : failedAs('private'),
    );
    expect(await waitFor('/api/imgnet/list', body)).toMatchObject({
      status: 200,
      body: { status: 'success', downloads: { reels: { status: 'failed' } } },
    });
  });
});
