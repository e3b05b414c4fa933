import { randomUUID } from 'node:crypto';
import { MockActivityEnvironment } from '@temporalio/testing';
import { ulid } from 'ulid';
import { afterAll, beforeAll, beforeEach, describe, expect, inject, it, vi } from 'vitest';
import { createDeliverActivity, type AttemptInput, type AttemptResult } from '../../activities/deliver-webhook.ts';
import { pendingRecordOf } from '../../contract/jobs.ts';
import { priceTable } from '../../contract/prices.ts';
import type { JobOutcome } from '../../contract/records.ts';
import { speakerLabelsSchema } from '../../contract/results/speaker-labels.ts';
import { createContentsStore, type ContentsStore } from '../../store/contents.ts';
import { createDeliveryStore, type DeliveryStore } from '../../store/deliveries.ts';
import { openMongo, type Mongo } from '../../store/mongo.ts';
import { createRecordStore, type RecordStore } from '../../store/records.ts';
import type { PostOutcome, WebhookClient } from '../../webhooks/client.ts';
import { LABELS } from '../helpers/kept-audio.ts';
import { anAudioJob } from '../helpers/workflow-run.ts';

let mongo: Mongo;
let records: RecordStore;
let deliveries: DeliveryStore;
let contents: ContentsStore;
const post = vi.fn<WebhookClient['post']>();

beforeAll(() => {
  mongo = openMongo({ uri: inject('mongodbUri'), database: `hook-${randomUUID().slice(0, 8)}`, timeoutMs: 5_000 });
  records = createRecordStore(mongo.db);
  deliveries = createDeliveryStore(mongo.db);
  contents = createContentsStore(mongo.db);
});
afterAll(async () => {
  await mongo.db.dropDatabase();
  await mongo.close();
});
beforeEach(() => void post.mockReset());

const failed = (code: 'private' | 'upstream_error'): JobOutcome => ({
  status: 'failed',
  failure: { code, message: 'No.' },
});

async function anEndedJob(outcome: JobOutcome = failed('private'), job = anAudioJob()): Promise<AttemptInput> {
  await records.insertIfAbsent(pendingRecordOf(job));
  await records.finish(job.recordId, outcome, '2026-11-21T09:31:00.000000Z');
  const deliveryId = `webhook/${job.recordId}/1`;
  return { deliveryId, recordId: job.recordId, url: 'https://example.com/h', attempt: 1, isLast: false };
}

function attempt(input: AttemptInput, outcome: PostOutcome): Promise<AttemptResult> {
  post.mockResolvedValueOnce(outcome);
  const rendering = { prices: priceTable({}), linkTo: () => 'http://drive.example/x', contents };
  const { attemptDelivery } = createDeliverActivity({
    records,
    deliveries,
    webhooks: { post, close: vi.fn() },
    rendering,
  });
  return new MockActivityEnvironment().run<[AttemptInput], AttemptResult, typeof attemptDelivery>(
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
      parameters: { audioId: ulid(), fileName: 'a.m4a' },
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
      data: { transcriptsWithTimeStamps: LABELS.segments },
    });
  });

  it('is not made while the job runs', async () => {
    const job = anAudioJob();
    await records.insertIfAbsent(pendingRecordOf(job));
    const input = { ...(await anEndedJob()), recordId: job.recordId };
    await expect(attempt(input, answered(200))).rejects.toThrow('has not ended');
  });
});
