import { readdir, readFile, readlink } from 'node:fs/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { Connection } from '@temporalio/client';
import { batchSchema } from '../../contract/batches/batch-answers.ts';
import type { VideoResult } from '../../contract/kinds/video.ts';
import { startWebhookReceiver, type WebhookReceiver } from '../../local/webhook-receiver.ts';
import { makeKey } from '../fuzz/key.ts';
import { batchCaller, itemsOfSandbox } from '../helpers/batch-run.ts';
import { TestService } from '../helpers/service.ts';
import { until } from '../helpers/until.ts';

let service: TestService;
let receiver: WebhookReceiver;
beforeAll(async () => {
  service = await TestService.shared();
  receiver = await startWebhookReceiver();
}, 120_000);
afterAll(async () => {
  await receiver.close();
  await service.stop();
});

const callerWith = async (credit?: number) =>
  batchCaller(service, { authorization: `Bearer ${await makeKey(service.stack, credit)}` });
const video = (id: string) => ({ operation: 'requestVideo', vidnet_video_id: id });

it('a batch of seven operations ends, charges each item once, and sends one webhook', async () => {
  const caller = await callerWith();
  const items = await itemsOfSandbox(service, 12);
  const started = await caller.start({ items, skip: ['members_only', 'private'], include_webhook: receiver.url });
  expect(started.status).toBe(202);
  const { id } = started.body;
  const ended = await caller.untilStatus(id, 'finished');
  const { waiting, running, cancelled, ...counts } = ended.counts;
  expect([waiting, running, cancelled]).toEqual([0, 0, 0]);
  expect(counts.success + counts.failed + counts.skipped).toBe(items.length);
  expect(counts.success).toBeGreaterThan(items.length / 2);

  const all = await caller.items(id);
  expect(all.map(({ operation, request }) => ({ operation, ...request }))).toEqual(items);
  for (const item of all) {
    if (item.state === 'success') expect(item.record).toMatchObject({ status: 'success' });
    else expect(item.failure?.message).toBe(item.record?.response);
    expect(item.state === 'skipped').toBe(['members_only', 'private'].includes(item.failure?.code ?? ''));
  }
  expect(await caller.items(id, '&state=skipped')).toHaveLength(counts.skipped);
  const { entries, spent, reserved } = await caller.account();
  expect([spent, reserved]).toEqual([ended.cost, '0.000']);
  expect(new Set(entries.map(({ download_id }) => download_id)).size).toBe(entries.length);

  const [post] = await until(() => (receiver.posts.length > 0 ? receiver.posts : undefined));
  expect(post!.headers).toMatchObject({ 'x-webhook-endpoint': 'batches', 'x-webhook-download-id': id });
  expect(batchSchema.parse(JSON.parse(post!.body))).toMatchObject({ id, status: 'finished', counts: ended.counts });

  const connection = await Connection.connect({ address: service.stack.env['TEMPORAL_ADDRESS']! });
  const query = `TapedeckBatchId = '${id}'`;
  const { count } = await connection.workflowService.countWorkflowExecutions({ namespace: 'default', query });
  await connection.close();
  // The batch itself, and a job for each item.
  expect(Number(count)).toBe(items.length + 1);

  const again = await caller.start({ items });
  const reused = await caller.untilStatus(again.body.id, 'finished');
  expect(reused.counts.success).toBe(counts.success);
  expect(reused.cost).toBe('0.000');
}, 300_000);

it('a batch pauses without credit, continues when it is resumed, and is cancelled', async () => {
  const caller = await callerWith(0);
  const vidnet_video_id = service.videoId('ordinary');
  const items = ['fr', 'it', 'sv', 'nl'].map((language) => ({
    ...{ operation: 'requestTranscript', vidnet_video_id, language },
  }));
  const { body } = await caller.start({ items, name: 'Languages' });
  const paused = await caller.untilStatus(body.id, 'paused', 60_000);
  expect(paused.pause?.code).toBe('insufficient_credit');
  expect((await caller.ask('POST', `/api/batches/${body.id}/resume`)).status).toBe(202);
  await until(async () => (await caller.get(body.id)).body.status === 'paused');
  expect((await caller.ask('POST', `/api/batches/${body.id}/cancel`)).status).toBe(202);
  const cancelled = await caller.untilStatus(body.id, 'cancelled', 60_000);
  expect(cancelled.counts).toMatchObject({ cancelled: 4, waiting: 0 });
  expect(cancelled.cost).toBe('0.000');
}, 180_000);

it('a batch of a channel reads its list, leaves out what the filter names, and pays for each entry once', async () => {
  const caller = await callerWith();
  const talks = service.sandbox.channels.find((one) => one.case === 'ordinary')!;
  const uploads = service.sandbox.catalogue.filter(
    ({ channel, case: name }) => channel.id === talks.id && !['private', 'removed', 'live', 'upcoming'].includes(name),
  );
  const from = `${service.sandbox.url}/${talks.handle}`;
  const filter = { kinds: ['video'], title_omits: 'bridge', max_seconds: 600 };
  const wanted = uploads
    .filter(({ title, durationSeconds = 0 }) => !/bridge/i.test(title) && durationSeconds <= 600)
    .sort((a, b) => a.published_at.getTime() - b.published_at.getTime());
  const request = { from, each: { operation: 'requestAudio' }, filter, order: 'oldest', limit: 4 };
  const started = await caller.start({ ...request, skip: ['members_only'] });
  expect(started.body).toMatchObject({ status: 'listing', items: 0, from });
  const ended = await caller.untilStatus(started.body.id, 'finished');
  const items = await caller.items(started.body.id);
  expect(items.map(({ request: body }) => body['vidnet_video_id'])).toEqual(wanted.slice(0, 4).map(({ id }) => id));
  expect((await caller.account()).spent).toBe(ended.cost);

  const empty = await caller.start({ ...request, filter: { title_contains: 'no such title' } });
  const failed = await caller.untilStatus(empty.body.id, 'failed');
  expect(failed.failure).toMatchObject({ code: 'unsupported', message: expect.stringMatching(/no entries/) });
  const gone = await caller.start({ ...request, from: `${service.sandbox.url}/playlist?list=PLnever-was` });
  expect((await caller.untilStatus(gone.body.id, 'failed')).failure).toMatchObject({ code: 'removed' });
}, 180_000);

it('failed items are retried, and a running job is joined and not charged twice', async () => {
  const caller = await callerWith();
  const [first, ...others] = [service.videoId('hd720'), service.videoId('opus_only'), service.videoId('removed')];
  await service.misbehave({ video: first, target: 'media', mode: 'slow', bytes_per_second: 200_000 });
  const single = await service.request<VideoResult>('POST', '/api/downloads/video', {
    body: { vidnet_video_id: first },
  });
  expect(single.status).toBe(202);
  const { body } = await caller.start({ items: [first, ...others].map(video) });
  const ended = await caller.untilStatus(body.id, 'finished');
  expect(ended).toMatchObject({ counts: { success: 2, failed: 1 }, cost: '0.010' });
  const [joined, , retried] = await caller.items(body.id);
  expect(joined).toMatchObject({ cost: '0.000', record: { id: single.body.data.id } });
  expect((await caller.ask('POST', `/api/batches/${body.id}/retry`)).status).toBe(202);
  await until(async () => {
    const id = (await caller.items(body.id))[2]?.record?.id;
    return id !== undefined && id !== retried!.record?.id;
  });
  const again = await caller.untilStatus(body.id, 'finished');
  expect(again).toMatchObject({ counts: { success: 2, failed: 1 }, cost: '0.010' });
}, 180_000);

/** The nice values of the programs of a job: they run in its work folder. */
async function niceOf(recordId: string): Promise<readonly number[]> {
  const processes = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const found = processes.map(async (pid) => {
    const folder = await readlink(`/proc/${pid}/cwd`);
    if (!folder.includes(recordId)) return [];
    const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
    return [Number(stat.slice(stat.lastIndexOf(')')).split(' ')[17])];
  });
  // A process may have ended in between.
  return (await Promise.all(found.map((one) => one.catch(() => [])))).flat();
}

it.runIf(process.platform === 'linux')(
  'the programs of a batch yield the processor to those of single requests',
  async () => {
    const ids = [service.videoId('hd1080'), service.videoId('vp9_opus')] as const;
    for (const id of ids) {
      await service.misbehave({ video: id, target: 'media', mode: 'slow', bytes_per_second: 5_000 });
    }
    const caller = await callerWith();
    const { body } = await caller.start({ items: [video(ids[0])] });
    const single = await caller.ask<VideoResult>('POST', '/api/downloads/video', { vidnet_video_id: ids[1] });
    const item = await until(async () => (await caller.items(body.id))[0]?.record ?? undefined);
    const runs = (id: string) => until(async () => (await niceOf(id))[0]);
    expect([await runs(item.id), await runs(single.body.data.id)]).toEqual([10, 0]);
    for (const id of ids) await service.misbehave({ video: id, mode: 'off' });
    await caller.untilStatus(body.id, 'finished');
    expect(await service.ended(single.body.data.id)).toMatchObject({ status: 'success' });
  },
  120_000,
);
