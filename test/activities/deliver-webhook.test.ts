import { randomUUID } from 'node:crypto';
import { ApplicationFailure } from '@temporalio/common';
import { MockActivityEnvironment } from '@temporalio/testing';
import { Webhook } from 'standardwebhooks';
import { ulid } from 'ulid';
import { afterAll, beforeAll, beforeEach, describe, expect, inject, it, vi } from 'vitest';
import { createDeliverActivity, type AttemptInput, type LocalAttemptResult } from '../../activities/deliver-webhook.ts';
import { pendingRecordOf, type JobInput } from '../../contract/job-input.ts';
import type { ChannelJob } from '../../contract/kinds/channel.ts';
import { priceTable } from '../../contract/kinds/configured-prices.ts';
import type { JobOutcome } from '../../contract/download-record.ts';
import { speakerLabelsSchema } from '../../contract/kinds/speaker-labels.ts';
import { createContentsStore, type ContentsStore } from '../../store/records/contents-store.ts';
import { createBatchStore } from '../../store/records/batch-store.ts';
import { createSubscriptionStore } from '../../store/records/subscription-store.ts';
import { createDeliveryStore, type DeliveryStore } from '../../store/records/delivery-store.ts';
import { createListStore, type ListStore } from '../../store/records/list-store.ts';
import { openMongo, type Mongo } from '../../store/mongo/mongo-client.ts';
import { createRecordStore, type RecordStore } from '../../store/records/record-store.ts';
import { LABELS } from '../helpers/kept-audio.ts';
import type { PostOutcome, PostRequest, WebhookClient } from '../../outbound/webhooks/webhook-client.ts';
import { createReceiverShares, type ReceiverShares } from '../../outbound/webhooks/receiver-shares.ts';
import { createWebhookSigner, parseWebhookSecret, receiverSecrets } from '../../outbound/webhooks/webhook-signature.ts';
import { anAudioJob } from '../helpers/jobs.ts';

let mongo: Mongo;
let records: RecordStore;
let deliveries: DeliveryStore;
let contents: ContentsStore;
let lists: ListStore;
let receivers: ReceiverShares;
const post = vi.fn<WebhookClient['post']>();
const SECRET = 'whsec_MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIz';

beforeAll(() => {
  mongo = openMongo({ uri: inject('mongodbUri'), database: `hook-${randomUUID().slice(0, 8)}`, timeoutMs: 5_000 });
  records = createRecordStore(mongo.db);
  deliveries = createDeliveryStore(mongo.db);
  contents = createContentsStore(mongo.db);
  lists = createListStore(mongo.db, { records, now: () => Date.now() });
});
afterAll(async () => {
  await mongo.db.dropDatabase();
  await mongo.close();
});
beforeEach(() => {
  post.mockReset();
  receivers = createReceiverShares({ maxAtOnce: 100 });
});

const failed = (code: 'private' | 'upstream_error'): JobOutcome => ({
  status: 'failed',
  failure: { code, message: 'No.' },
});

async function anEndedJob(
  outcome: JobOutcome = failed('private'),
  job: JobInput = anAudioJob(),
): Promise<AttemptInput> {
  await records.insertIfAbsent(pendingRecordOf(job));
  await records.finish(job.recordId, outcome, '2026-11-21T09:31:00.000000Z');
  const deliveryId = `webhook/${job.recordId}/1`;
  return { deliveryId, recordId: job.recordId, url: 'https://example.com/h', attempt: 1, isLast: false };
}

function attempt(input: AttemptInput, outcome: PostOutcome, isLocal = false): Promise<LocalAttemptResult> {
  post.mockResolvedValueOnce(outcome);
  const rendering = { prices: priceTable({}), linkTo: () => 'http://drive.example/x', contents, lists };
  const { attemptDelivery } = createDeliverActivity({
    records,
    batches: createBatchStore(mongo.db),
    subscriptions: createSubscriptionStore(mongo.db),
    deliveries,
    webhooks: { post, close: vi.fn() },
    receivers,
    signWebhook: createWebhookSigner([parseWebhookSecret(SECRET)!]),
    rendering,
  });
  return new MockActivityEnvironment({ isLocal }).run<[AttemptInput], LocalAttemptResult, typeof attemptDelivery>(
    attemptDelivery,
    input,
  );
}
const answered = (statusCode: number): PostOutcome => ({ kind: 'answered', statusCode, durationMs: 12.4 });

describe('an attempt at a delivery', () => {
  it.each([
    [answered(200), 'delivered', 'delivered'],
    [answered(299), 'delivered', 'delivered'],
    [answered(302), 'refused', 'pending'],
    [answered(500), 'refused', 'pending'],
    [{ kind: 'unreachable', error: 'timeout', durationMs: 10_000 } as const, 'refused', 'pending'],
    [{ kind: 'forbidden', reason: 'private', durationMs: 1 } as const, 'forbidden', 'abandoned'],
  ])('ending in %o is %s, and the delivery is %s', async (outcome, result, state) => {
    const input = await anEndedJob();
    expect(await attempt(input, outcome)).toBe(result);
    const delivery = await deliveries.get(input.deliveryId);
    expect(delivery).toMatchObject({ state, url: input.url, endpoint: 'downloads/audio' });
    expect(delivery?.attempts).toEqual([
      expect.objectContaining({ number: 1, durationMs: Math.round(outcome.durationMs), startedAt: expect.any(String) }),
    ]);
  });

  it('that is the last one abandons the delivery', async () => {
    const input = await anEndedJob();
    expect(await attempt({ ...input, attempt: 4, isLast: true }, answered(500))).toBe('refused');
    expect((await deliveries.get(input.deliveryId))?.state).toBe('abandoned');
  });

  it('notes who has subscribed, and nobody where that is not known', async () => {
    const [known, unknown] = [await anEndedJob(), await anEndedJob()];
    await attempt({ ...known, subscribedBy: ['key'] }, answered(200));
    expect((await deliveries.get(known.deliveryId))?.subscribedBy).toEqual(['key']);
    await attempt({ ...unknown, subscribedBy: [] }, answered(200));
    expect(await deliveries.get(unknown.deliveryId)).not.toHaveProperty('subscribedBy');
  });

  it('that is on record is not made again', async () => {
    const input = await anEndedJob();
    await attempt(input, answered(200));
    expect(await attempt(input, answered(500))).toBe('delivered');
    expect(post).toHaveBeenCalledTimes(1);
  });

  it.each([
    [failed('private'), '400'],
    [failed('upstream_error'), '500'],
    [{ status: 'success', result: { durationSeconds: 1, files: [] } } as const, '200'],
  ])('of %o tells the status %s', async (outcome, status) => {
    await attempt(await anEndedJob(outcome), answered(200));
    expect(post.mock.lastCall?.[1].headers).toMatchObject({ 'X-Webhook-Original-Status': status });
  });

  it('of speaker labels names the audio, by which its receiver knows them', async () => {
    const success = { status: 'success', result: { durationSeconds: 61.2 } } as const;
    const job = {
      ...anAudioJob(),
      type: 'speaker_labels' as const,
      parameters: { audioId: ulid() },
    };
    await contents.putFacts(job.recordId, LABELS);
    await attempt(await anEndedJob(success, job), answered(200));
    const { headers, body } = post.mock.lastCall![1];
    expect(headers).toMatchObject({
      'X-Webhook-Endpoint': 'transcriptspeakerid',
      'X-Webhook-Download-Id': job.parameters.audioId,
    });
    expect(speakerLabelsSchema.strict().parse(JSON.parse(body as string))).toMatchObject({
      transcript_speaker_id: job.parameters.audioId,
      download_id: job.recordId,
      data: { transcriptsWithTimeStamps: LABELS.segments.map(({ wordStarts: _wordStarts, ...segment }) => segment) },
    });
  });

  it('as a local activity is made too, but left to the queue when its receiver has no free place', async () => {
    const input = await anEndedJob();
    const taken = Array.from({ length: 10 }, () => receivers.enter(input.url));
    expect(await attempt(input, answered(200), true)).toBe('queue');
    expect(post).not.toHaveBeenCalled();
    for (const place of taken) place.leave();
    expect(await attempt(input, answered(200), true)).toBe('delivered');
  });

  it('is not made while the job runs', async () => {
    const job = anAudioJob();
    await records.insertIfAbsent(pendingRecordOf(job));
    const input = { ...(await anEndedJob()), recordId: job.recordId };
    await expect(attempt(input, answered(200))).rejects.toThrow('has not ended');
  });
});

/** What a post has sent, read as the client reads it. */
async function sentBy([, request]: [string, PostRequest]): Promise<{ body: string; headers: Record<string, string> }> {
  const { body: sent } = request;
  if (typeof sent === 'string') return { body: sent, headers: { ...request.headers } };
  let body = '';
  for await (const chunk of sent.chunks) body += typeof chunk === 'string' ? chunk : Buffer.from(chunk).toString();
  expect(sent.bytes).toBe(Buffer.byteLength(body));
  return { body, headers: { ...request.headers } };
}

describe('the message of an attempt', () => {
  it('is signed, and has one id at all attempts and in all rounds', async () => {
    const input = await anEndedJob();
    for (const attemptNumber of [1, 2, 5]) {
      await attempt({ ...input, attempt: attemptNumber }, answered(500));
      const { body, headers } = await sentBy(post.mock.lastCall!);
      expect(new Webhook(SECRET).verify(body, headers)).toMatchObject({ data: { id: input.recordId } });
      const [own = ''] = receiverSecrets([parseWebhookSecret(SECRET)!], new URL(input.url));
      expect(new Webhook(own).verify(body, headers)).toMatchObject({ data: { id: input.recordId } });
      expect(headers['webhook-id']).toBe(`${input.recordId}-1`);
    }
  });

  it('is signed over the bytes that are sent, whose number it tells, also where the list is too long to hold', async () => {
    const job: ChannelJob = {
      ...anAudioJob(),
      type: 'list',
      subjectId: `list/@${ulid()}`,
      parameters: { channel: { kind: 'handle', name: 'evening-talks' } },
    };
    const count = 4_000;
    await contents.putFacts(job.recordId, { channelId: 'UC1', title: 'Évening', url: 'https://example.com/' });
    const video = (index: number) => ({ videoId: `v${index}`, title: `Talk ${index} é ${'x'.repeat(500)}` });
    for (const number of [1, 2]) {
      const items = Array.from({ length: count / 2 }, (_, index) => video(number * count + index));
      await contents.putPiece({ recordId: job.recordId, name: 'videos', number }, items);
    }
    const lists = { videos: { pieces: 2, items: count } };
    const input = await anEndedJob({ status: 'success', result: { lists } }, job);
    await attempt(input, answered(200));
    const call = post.mock.lastCall!;
    expect(call[1].body).not.toBeTypeOf('string');
    const { body, headers } = await sentBy(call);
    expect(body.length).toBeGreaterThan(2_000_000);
    const told = new Webhook(SECRET).verify(body, headers) as { videos: unknown[] };
    expect(told.videos).toHaveLength(count);
  });
});

describe('an attempt at a receiver that has its share of requests', () => {
  it('is not made, comes back later, and leaves a delivery that can be seen', async () => {
    receivers = createReceiverShares({ maxAtOnce: 10 });
    const input = await anEndedJob();
    const place = receivers.enter(input.url);
    const busy = await attempt(input, answered(200)).catch((error: unknown) => error);
    expect(busy).toBeInstanceOf(ApplicationFailure);
    expect(busy).toMatchObject({ type: 'receiver-busy', nonRetryable: false });
    expect((busy as ApplicationFailure).nextRetryDelay).toBeGreaterThanOrEqual(500);
    expect(post).not.toHaveBeenCalled();
    expect(await deliveries.get(input.deliveryId)).toMatchObject({ state: 'pending', attempts: [] });
    place.leave();
    expect(await attempt(input, answered(200))).toBe('delivered');
    expect((await deliveries.get(input.deliveryId))?.attempts).toHaveLength(1);
  });

  it('is not made either when only the address shows whose receiver it is', async () => {
    receivers = createReceiverShares({ maxAtOnce: 1 });
    receivers.enter('https://other.example/').addAddresses(['93.184.215.14']);
    const input = await anEndedJob();
    post.mockImplementationOnce(async (_url, { onAddresses }) => {
      onAddresses?.(['93.184.215.14']);
      return Promise.resolve(answered(200));
    });
    await expect(attempt(input, answered(200))).rejects.toMatchObject({ type: 'receiver-busy' });
    expect((await deliveries.get(input.deliveryId))?.attempts).toEqual([]);
    expect(() => receivers.enter(input.url)).not.toThrow();
  });
});

it('an attempt of a further round is the last one where the round ends, and tells where it began', async () => {
  const input = await anEndedJob();
  await attempt({ ...input, attempt: 4, isLast: true }, answered(500));
  await deliveries.reopen(input.deliveryId, 5);
  expect(await deliveries.get(input.deliveryId)).toMatchObject({ state: 'pending', firstAttempt: 5 });
  await attempt({ ...input, attempt: 5, firstAttempt: 5 }, answered(500));
  // Whoever opens the round late changes nothing.
  await deliveries.recordAttempt(
    input.deliveryId,
    { number: 5, startedAt: '2026-11-21T09:31:00.000000Z', durationMs: 1, statusCode: 200 },
    { state: 'delivered', firstAttempt: 5 },
  );
  await deliveries.reopen(input.deliveryId, 5);
  expect(await deliveries.get(input.deliveryId)).toMatchObject({ state: 'delivered', firstAttempt: 5 });
});
