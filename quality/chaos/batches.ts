import { setTimeout as delay } from 'node:timers/promises';
import type { BatchAnswer, BatchItemsAnswer } from '../../contract/batches/batch-answers.ts';
import { batchItemSchema } from '../../contract/batches/batch-item.ts';
import { operations } from '../../api/operations/operations.ts';
import type { Evidence, Finding } from './audit/evidence.ts';
import type { Client } from './client.ts';
import type { PlannedCall } from './plan.ts';
import type { Reception } from './stage.ts';

/** Batches request what callers request too, so that they join jobs and reuse results. */
const BATCHES = 3;
const REPEAT_MS = 1_000;
const PAGE = 200;
/** The prefixes of the IDs of calls whose webhooks are about a batch or a subscription instead of a job. */
export const CALL_PREFIXES = { batch: 'batch', subscription: 'subscription' } as const;

interface SentBatch {
  readonly callId: string;
  readonly atMs: number;
  readonly items: readonly object[];
  id?: string;
}
export type SentBatches = readonly SentBatch[];

export const isOfJob = ({ callId }: Pick<Reception, 'callId'>): boolean =>
  !Object.values(CALL_PREFIXES).some((prefix) => callId.startsWith(prefix));

export function planBatches(calls: readonly PlannedCall[], durationMs: number): SentBatches {
  const names = new Map(Object.entries(operations).map(([name, { path }]) => [path as string, name]));
  const items = calls
    .filter(({ after }) => after === undefined)
    .map(({ path, body }) => ({ operation: names.get(path), ...body }))
    .filter((item) => batchItemSchema.safeParse(item).success);
  const distinct = [...new Map(items.map((item) => [JSON.stringify(item), item])).values()];
  return Array.from({ length: BATCHES }, (_, index) => ({
    callId: `${CALL_PREFIXES.batch}${String(index + 1)}`,
    atMs: (durationMs * (index + 0.5)) / (BATCHES + 1),
    items: distinct.filter((_item, number) => number % (BATCHES - 1) === index % (BATCHES - 1)),
  }));
}

export interface BatchDeps {
  readonly client: Client;
  readonly webhookUrlOf: (callId: string) => string;
  readonly nowMs: () => number;
  readonly goHome: AbortSignal;
}

/** Starts each batch at its time. The run waits for the ends of all workflows. */
export async function sendBatches(batches: SentBatches, deps: BatchDeps): Promise<void> {
  await Promise.all(batches.filter(({ items }) => items.length > 0).map((batch) => follow(batch, deps)));
}

async function follow(batch: SentBatch, { client, webhookUrlOf, nowMs, goHome: signal }: BatchDeps): Promise<void> {
  await delay(Math.max(0, batch.atMs - nowMs()), undefined, { signal });
  const body = { items: batch.items, include_webhook: webhookUrlOf(batch.callId) };
  while (batch.id === undefined) {
    const answer = await client.request('POST', '/api/batches', { body });
    if (answer?.status === 202) batch.id = answer.body.id ?? '';
    else if (answer?.status === 400) throw new Error(`a batch was refused: ${answer.text}`);
    else await delay(REPEAT_MS, undefined, { signal });
  }
}

export const readWith =
  (client: Client) =>
  async <Body>(path: string): Promise<Body> => {
    const answer = await client.request('GET', path);
    if (answer?.status !== 200) throw new Error(`${path} cannot be read`);
    return JSON.parse(answer.text) as Body;
  };

/** Checks that each item has ended like its record, that the counts are their sums, and that one webhook was sent at the end. */
export async function auditBatches(
  batches: SentBatches,
  {
    client,
    records,
    receptions,
  }: Pick<Evidence, 'records'> & {
    readonly client: Client;
    readonly receptions: readonly Reception[];
  },
): Promise<readonly Finding[]> {
  const wrong: string[] = [];
  const webhooks: string[] = [];
  const read = readWith(client);
  for (const { callId, id, items } of batches.filter((batch) => batch.items.length > 0)) {
    if (id === undefined) {
      wrong.push(`${callId}: was not started`);
      continue;
    }
    const found: BatchItemsAnswer['items'][number][] = [];
    for (let cursor: number | null = 0; cursor !== null;) {
      const query = `limit=${String(PAGE)}&cursor=${String(cursor)}`;
      const page: BatchItemsAnswer = await read<BatchItemsAnswer>(`/api/batches/${id}/items?${query}`);
      found.push(...page.items);
      cursor = page.next_cursor;
    }
    const states = found.filter(({ state, record }) => state !== (record && records.get(record.id)?.status));
    wrong.push(...states.map(({ number, state }) => `${callId} item ${String(number)}: ${state}`));
    const { counts } = await read<BatchAnswer>(`/api/batches/${id}`);
    const counted = counts.success + counts.failed;
    if (counted !== items.length || found.length !== items.length) {
      wrong.push(`${callId}: ${String(counted)} of ${String(items.length)} items have ended`);
    }
    const ids = new Set(receptions.filter((one) => one.callId === callId).map(({ webhookId }) => webhookId));
    if (!ids.has(`${id}-1`)) webhooks.push(`${callId}: none`);
    const again = [...ids].filter((one) => one.startsWith(id) && one !== `${id}-1`);
    webhooks.push(...again.map((one) => `${callId}: ${one}`));
  }
  return [
    { column: 'items of batches lost or counted wrong', ids: wrong },
    { column: 'webhooks of batches missed or doubled', ids: webhooks },
  ];
}
