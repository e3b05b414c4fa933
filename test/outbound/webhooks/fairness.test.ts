import { randomUUID } from 'node:crypto';
import { Client, Connection } from '@temporalio/client';
import { NativeConnection } from '@temporalio/worker';
import { expect, inject, it, onTestFinished } from 'vitest';
import { createDeliverActivity } from '../../../activities/deliver-webhook.ts';
import { pendingRecordOf } from '../../../contract/job-input.ts';
import { priceTable } from '../../../contract/kinds/configured-prices.ts';
import { deliveryIdOf, deliveryPriorityOf } from '../../../contract/http/webhook-delivery.ts';
import { createContentsStore } from '../../../store/records/contents-store.ts';
import { createBatchStore } from '../../../store/records/batch-store.ts';
import { createSubscriptionStore } from '../../../store/records/subscription-store.ts';
import { createDeliveryStore } from '../../../store/records/delivery-store.ts';
import { openMongo } from '../../../store/mongo/mongo-client.ts';
import { createListStore } from '../../../store/records/list-store.ts';
import { createRecordStore } from '../../../store/records/record-store.ts';
import { createReceiverShares } from '../../../outbound/webhooks/receiver-shares.ts';
import { createWebhookSigner } from '../../../outbound/webhooks/webhook-signature.ts';
import { createWorkers } from '../../../worker/create-workers.ts';
import { loadWorkflows } from '../../../worker/workflow-bundle.ts';
import { deliverWebhook } from '../../../workflows/webhooks/deliver-webhook.ts';
import { startWebhookReceiver } from '../../../local/webhook-receiver.ts';
import { until } from '../../helpers/until.ts';
import { breakersOn } from '../../helpers/breakers.ts';
import { anAudioJob } from '../../helpers/jobs.ts';
import { tcpReceiver } from '../receivers.ts';
import { testClient } from './test-client.ts';

/** Far more than the worker sends at once; all of them would hang for 20 s. */
const HANGING = Number(process.env['FAIRNESS_HANGING'] ?? 24);
const AT_ONCE = Number(process.env['FAIRNESS_AT_ONCE'] ?? 8);

it(`a receiver that hangs with ${HANGING} webhooks does not delay the webhook of another receiver`, async () => {
  const { deliver, known, bodyOf } = await aWorker();
  const hanging = await tcpReceiver(() => undefined);
  const healthy = await startWebhookReceiver();
  onTestFinished(() => healthy.close());

  const hangs = Array.from({ length: HANGING }, (_, index) => `http://127.0.0.1:${hanging.port}/hook/${index}`);
  for (let first = 0; first < hangs.length; first += 50) await Promise.all(hangs.slice(first, first + 50).map(deliver));
  // What is measured is the queue, not how fast the engine starts so many workflows.
  await until(async () => (await known()) === HANGING, { what: 'a first look at each of them', within: 240_000 });
  expect(hanging.connections()).toBeGreaterThan(0);
  const waits: number[] = [];
  for (let times = 0; times < 5; times += 1) {
    const startedMs = Date.now();
    await deliver(`${healthy.url}/${times}`);
    const post = await until(() => healthy.posts[times], { what: 'the webhook of the healthy receiver' });
    waits.push(post.at - startedMs);
  }
  if (process.env['FAIRNESS_HANGING'] !== undefined)
    console.log(JSON.stringify({ waits, connections: hanging.connections() }));
  expect(JSON.parse(healthy.posts[0]!.body)).toEqual(bodyOf);
  expect(Math.max(...waits)).toBeLessThan(8_000);
  expect(new Set(healthy.posts.map(({ path }) => path)).size).toBe(healthy.posts.length);
}, 300_000);

/** A worker of the webhook queue on real engines, and a way to have one result delivered to any URL. */
async function aWorker() {
  const address = inject('temporalAddress');
  const mongo = openMongo({
    uri: inject('mongodbUri'),
    database: `fair-${randomUUID().slice(0, 8)}`,
    timeoutMs: 5_000,
  });
  const records = createRecordStore(mongo.db);
  const job = anAudioJob();
  await records.insertIfAbsent(pendingRecordOf(job));
  const failure = { code: 'private', message: 'No.' } as const;
  await records.finish(job.recordId, { status: 'failed', failure }, '2026-11-21T09:31:00.000000Z');
  const webhooks = testClient({ timeoutMs: 20_000 });
  const activities = createDeliverActivity({
    records,
    batches: createBatchStore(mongo.db),
    subscriptions: createSubscriptionStore(mongo.db),
    deliveries: createDeliveryStore(mongo.db),
    webhooks,
    receivers: createReceiverShares({ maxAtOnce: AT_ONCE }),
    signWebhook: createWebhookSigner([]),
    rendering: {
      ...{ prices: priceTable({}), linkTo: () => '', contents: createContentsStore(mongo.db) },
      lists: createListStore(mongo.db, { records, now: () => Date.now() }),
    },
  });
  const connection = await NativeConnection.connect({ address });
  const nothing = { nothing: () => Promise.reject(new Error('this test has no such activities')) };
  const taskQueue = `fair-${randomUUID()}`;
  const workers = await createWorkers({
    ...{ breakers: breakersOn(), routes: [], roles: ['workflows', 'webhooks'] },
    ...{ connection, namespace: 'default', taskQueue, bundle: await loadWorkflows() },
    activities: { records: nothing, fetch: nothing, speech: nothing, deliver: activities } as unknown as Parameters<
      typeof createWorkers
    >[0]['activities'],
    ...{ maxFetches: 1, maxSpeechWindows: 1, maxDeliveries: AT_ONCE, shutdownGraceMs: 0 },
  });
  const running = workers.run();
  const client = new Client({ connection: await Connection.connect({ address }) });
  let started = 0;
  onTestFinished(async () => {
    webhooks.close();
    workers.shutdown();
    await running;
    await connection.close();
    await client.connection.close();
    await mongo.db.dropDatabase();
    await mongo.close();
  });
  return {
    bodyOf: { data: expect.objectContaining({ id: job.recordId, status: 'failed' }) as unknown },
    known: () => mongo.db.collection('deliveries').countDocuments({}),
    deliver: async (url: string): Promise<void> => {
      const deliveryId = deliveryIdOf(job.recordId, (started += 1));
      const args: Parameters<typeof deliverWebhook> = [{ deliveryId, recordId: job.recordId, url }];
      await client.workflow.start(deliverWebhook, {
        workflowId: deliveryId,
        taskQueue,
        args,
        priority: deliveryPriorityOf(url),
      });
    },
  };
}
