import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import type { BatchAnswer, BatchEvent } from '../../contract/batches/batch-answers.ts';
import { NO_TOTALS, type ItemProgress } from '../../contract/batches/batch-state.ts';
import { readEvents, type EventReader } from '../helpers/event-reader.ts';
import { anAudioJob, keepJob } from '../helpers/jobs.ts';
import { startFacades, type Facades } from '../helpers/rest-app.ts';
import { until } from '../helpers/until.ts';
import { BATCH_PIECE_ITEMS } from '../../contract/request-limits.ts';

let facades: Facades;
beforeAll(async () => {
  facades = await startFacades();
});
afterAll(() => facades.close());
const readers: EventReader[] = [];
afterEach(async () => {
  for (const reader of readers) reader.leave();
  await Promise.all(readers.splice(0).map(({ over }) => over));
});

async function aBatch(count: number): Promise<string> {
  const items = Array.from({ length: count }, (_one, number) => ({
    ...{ operation: 'requestAudio', vidnet_video_id: `kX3vQ9m${String(number).padStart(4, '0')}` },
  }));
  const { body } = await facades.post('/api/batches', JSON.stringify({ items }));
  return String(body['id']);
}
async function follow(id: string, lastEventId?: string): Promise<EventReader> {
  const headers = lastEventId === undefined ? {} : { 'last-event-id': lastEventId };
  const reader = await readEvents(`${facades.url}/api/batches/${id}/events`, headers);
  readers.push(reader);
  return reader;
}
/** Ends items, as the workflow of the batch notes them. */
async function end(id: string, numbers: readonly number[], counts: Partial<BatchAnswer['counts']>): Promise<void> {
  for (const number of numbers) {
    const record = await keepJob(facades.deps.records, anAudioJob(), { status: 'success', result: { title: 'Tea' } });
    const progress: ItemProgress = { state: 'success', recordId: record.id, cost: 5 };
    const piece = { batchId: id, number: Math.floor(number / BATCH_PIECE_ITEMS) + 1 };
    await facades.deps.batches.noteProgress(piece, [[number % BATCH_PIECE_ITEMS, progress]]);
  }
  await facades.deps.batches.change(id, { counts: { ...NO_TOTALS.counts, ...counts }, updatedAtMs: Date.now() });
}
const events = ({ received }: EventReader) => received.map(({ data }) => data as unknown as BatchEvent);
const endsIn = (reader: EventReader): readonly number[] =>
  events(reader).flatMap(({ ended }) => ended.map(({ number }) => number));

it('streams counts and the items that end, up to the end of the batch', async () => {
  const id = await aBatch(3);
  await end(id, [1], { waiting: 2, success: 1 });
  const reader = await follow(id);
  await until(() => reader.received.length === 1);
  expect(events(reader)[0]).toMatchObject({ batch: { id, counts: { waiting: 2, success: 1 } }, ended: [] });
  await end(id, [0], { waiting: 1, success: 2 });
  await until(() => endsIn(reader).length === 1);
  expect(events(reader).at(-1)!.ended).toMatchObject([{ number: 0, state: 'success', record: { title: 'Tea' } }]);
  await end(id, [2], { success: 3 });
  await facades.deps.batches.change(id, { status: 'finished' });
  expect(await reader.over).toBe('whole');
  expect(endsIn(reader)).toEqual([0, 2]);
  expect(events(reader).at(-1)!.batch).toMatchObject({ status: 'finished', counts: { success: 3 } });
  expect((await follow(id, reader.lastEventId)).status).toBe(204);
});

it('continues after the last event of a reader, with each end once', async () => {
  const id = await aBatch(1_050);
  const first = await follow(id);
  await until(() => first.received.length === 1);
  const early = Array.from({ length: 205 }, (_one, index) => index * 2);
  await end(id, early, { waiting: 845, success: 205 });
  await until(() => endsIn(first).length === early.length, { within: 20_000 });
  first.leave();
  await end(id, [1, 3, 411], { waiting: 842, success: 208 });
  const second = await follow(id, first.lastEventId);
  await until(() => endsIn(second).length >= 3);
  await facades.deps.batches.change(id, { status: 'cancelled' });
  await second.over;
  expect(endsIn(second)).toEqual([1, 3, 411]);
  expect([...new Set(endsIn(first))]).toEqual(early);
  const withInvalidId = await follow(id, 'not an id');
  await withInvalidId.over;
  expect(withInvalidId.received).toHaveLength(1);
}, 60_000);

it('reports the items of a batch again that runs again', async () => {
  const id = await aBatch(2);
  await end(id, [0, 1], { success: 2 });
  const reader = await follow(id);
  await until(() => reader.received.length === 1);
  await facades.deps.batches.noteProgress({ batchId: id, number: 1 }, [[1, { state: 'failed' }]]);
  await facades.deps.batches.resetFailed({ batchId: id, number: 1 });
  await facades.deps.batches.change(id, { end: 2, counts: { ...NO_TOTALS.counts, success: 1, waiting: 1 } });
  await until(() => reader.received.length === 2);
  await end(id, [1], { success: 2 });
  await until(() => endsIn(reader).length === 1);
  expect(endsIn(reader)).toEqual([1]);
});

it('is not found by another caller', async () => {
  const key = await facades.deps.keys.create({ name: 'other', scopes: ['read'] });
  const reader = await readEvents(`${facades.url}/api/batches/${await aBatch(1)}/events`, {
    authorization: `Bearer ${key.text}`,
  });
  expect(reader.status).toBe(404);
});
