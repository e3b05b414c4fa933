import { MongoClient } from 'mongodb';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { ProcessName } from '../../local/stack.ts';
import { startWebhookReceiver, type WebhookReceiver } from '../../local/webhook-receiver.ts';
import { makeKey } from '../fuzz/key.ts';
import { batchCaller, expectChargedOnce, itemsOfSandbox } from '../helpers/batch-run.ts';
import { TestService } from '../helpers/service.ts';
import { until } from '../helpers/until.ts';

let service: TestService;
let receiver: WebhookReceiver;
beforeAll(async () => {
  // The pace is slow enough that items remain for each kill.
  const env = { SHUTDOWN_GRACE_SECONDS: '1', VIDNET_STARTS_PER_MINUTE: '30' };
  service = await TestService.start({ ownEngines: true, env });
  receiver = await startWebhookReceiver();
}, 120_000);
afterAll(async () => {
  await receiver.close();
  await service.stop();
});

it('a batch survives the sudden end of worker, api, Temporal and MongoDB, with each item once', async () => {
  const key = await makeKey(service.stack);
  const caller = batchCaller(service, { authorization: `Bearer ${key}` });
  const items = await itemsOfSandbox(service, 16);
  const { id } = (await caller.start({ items, include_webhook: receiver.url })).body;
  const endedItems = async (): Promise<number> => {
    const answer = await caller.get(id).catch(() => undefined);
    if (answer?.status !== 200) return 0;
    const { waiting, running } = answer.body.counts;
    return items.length - waiting - running;
  };
  // In the order of the batch, each when it has come further.
  const victims: readonly (readonly ProcessName[])[] = [
    ...[['worker'], ['api'], ['temporal'], ['mongodb']].map((names) => names as ProcessName[]),
    ['worker', 'api', 'temporal', 'mongodb'],
  ];
  let before = 0;
  for (const names of victims) {
    before = await until(
      async () => {
        const ended = await endedItems();
        return ended > before ? ended : undefined;
      },
      { within: 90_000, what: `an end of an item before ${names.join(' and ')} are killed` },
    );
    for (const name of names) service.stack.kill(name, 'SIGKILL');
  }
  expect(before, 'ends of items before the last kill').toBeLessThan(items.length);
  const ended = await caller.untilStatus(id, 'finished', 240_000);
  expect(ended.counts).toMatchObject({ waiting: 0, running: 0, cancelled: 0 });

  const all = await caller.items(id);
  expect(all).toHaveLength(items.length);
  const recordIds = all.flatMap(({ record }) => record?.id ?? []);
  expect(new Set(recordIds).size).toBe(items.length);
  const client = await MongoClient.connect(service.stack.mongodbUri);
  try {
    const db = client.db(service.stack.env['MONGODB_DATABASE']);
    // No item was started twice, so the batch has no other records.
    const startedBy = (await caller.account()).key.id;
    const records = await db.collection<{ _id: string }>('records').find({ startedBy }).toArray();
    expect(records.map(({ _id }) => _id).sort()).toEqual(recordIds.sort());
    await expectChargedOnce(db, { caller, cost: ended.cost });
  } finally {
    await client.close();
  }
  await until(() => receiver.posts.length > 0, { within: 90_000, what: 'the webhook' });
  // What was received and is not on record is posted again.
  expect(new Set(receiver.posts.map(({ headers }) => headers['webhook-id']))).toEqual(new Set([`${id}-1`]));
}, 600_000);
