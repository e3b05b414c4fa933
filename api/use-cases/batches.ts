import { setTimeout as delay } from 'node:timers/promises';
import { ulid } from 'ulid';
import {
  renderBatch,
  renderBatchItem,
  type BatchAnswer,
  type BatchItemAnswer,
  type BatchItemsAnswer,
  type BatchList,
} from '../../contract/batches/batch-answers.ts';
import type { BatchItemRequest } from '../../contract/batches/batch-item.ts';
import type { BatchRequest } from '../../contract/batches/batch-request.ts';
import {
  isEnded,
  newBatch,
  type ItemProgress,
  type ItemState,
  type StoredBatch,
} from '../../contract/batches/batch-state.ts';
import type { Caller } from '../../contract/http/account-schemas.ts';
import type { LimitedCaller } from '../access/access-middleware.ts';
import { ApiError } from '../../contract/http/api-error.ts';
import { formatMoney, parseMoney } from '../../contract/money.ts';
import { BATCH_ITEMS_MAX, BATCH_PIECE_ITEMS } from '../../contract/request-limits.ts';
import { createYielder } from '../../runtime/subprocess/yield-to-event-loop.ts';
import { defined, optional } from '../../runtime/optional.ts';
import { nowMicroseconds } from '../../store/mongo/clock.ts';
import type { PageQuery } from '../../contract/http/fields.ts';
import type { BatchItem } from '../../contract/batches/item-order.ts';
import { invalidField } from '../http/to-api-error.ts';
import type { Answer, UseCase } from '../operations/operation.ts';
import type { ServiceDeps } from '../service-deps.ts';
import type { BatchInput } from '../../workflows/batches/run-batch.ts';
import { itemOf } from './batch-items.ts';
import { requireCredit } from './credit.ts';
import { sourceOf } from './lists.ts';
import { ownOf, ownPageOf } from './own-documents.ts';
import { assertWebhookTarget, batchFieldsOf, subscriberOf } from './subscribers.ts';

export interface OneBatch {
  readonly batch_id: string;
}

/** A workflow writes its batch at least this often, unless it is paused or Temporal cannot be reached. */
const SILENT_MS = 60_000;
const CLOSING_WAIT_MS = 200;
const CLOSING_TRIES = 25;

/** POST /api/batches: stores the items, or the list that has them, and starts the workflow that runs them. If one item is invalid, nothing is started. */
export const createBatch: UseCase<BatchRequest, BatchAnswer> = async (deps, caller: LimitedCaller, request) => {
  const own = caller.ids && (await startedBatch(deps, caller.ids.of('batch')));
  if (own !== undefined) return { state: 'pending', body: renderBatch(own, deps.rendering) };
  const fields = batchFieldsOf(deps, request);
  const { from, each, filter } = request;
  const listed = from === undefined || each === undefined ? undefined : await sourceOf(deps, { from, each, filter });
  const items = await itemsOf(deps, request.items ?? []);
  const maxCost = request.max_cost === undefined ? undefined : parseMoney(request.max_cost);
  const listCost = listed?.collection?.now;
  const cheapest = items.reduce((least, { price }) => Math.min(least, price), listed?.price ?? Infinity);
  const least = cheapest + (listCost ?? 0);
  if (maxCost !== undefined && maxCost < least) {
    const of = listCost === undefined ? 'the cheapest item' : 'the list and one entry';
    throw invalidField('max_cost', `must be at least ${formatMoney(least)}, the price of ${of}`);
  }
  if (listCost !== undefined) await requireCredit(deps, caller, listCost);
  const { limit = BATCH_ITEMS_MAX, order = 'newest' } = request;
  const id = caller.ids?.of('batch') ?? ulid();
  const batch = newBatch({
    ...{ id, startedBy: subscriberOf(caller), createdAt: nowMicroseconds(), updatedAtMs: deps.now() },
    ...optional('source', listed && { ...listed.source, limit, order, isListed: false }),
    ...{ status: listed === undefined ? 'running' : 'listing', ...fields, ...defined({ listCost, maxCost }) },
  });
  await deps.batches.create(batch);
  await deps.batches.fill(id, items);
  await deps.batchRuns.start(inputOf(batch));
  deps.log.info({ batchId: id, items: items.length }, 'batch accepted');
  return { state: 'pending', body: renderBatch((await deps.batches.get(id)) ?? batch, deps.rendering) };
};

/** @returns the batch of an interrupted request that is repeated, unless it was interrupted before the workflow started */
async function startedBatch(deps: ServiceDeps, id: string): Promise<StoredBatch | undefined> {
  const batch = await deps.batches.get(id);
  return batch !== undefined && (isEnded(batch) || (await deps.batchRuns.isOpen(id))) ? batch : undefined;
}

/** Two items with the same subject would be one job, so they are a mistake of the caller. */
async function itemsOf(deps: ServiceDeps, requests: readonly BatchItemRequest[]): Promise<readonly BatchItem[]> {
  const giveWay = createYielder();
  const numbers = new Map<string, number>();
  const items: BatchItem[] = [];
  for (const [number, request] of requests.entries()) {
    const path = `items.${String(number)}`;
    const item = await itemOf(deps, request).catch((error: unknown) => {
      throw within(path, error);
    });
    const { include_webhook: url } = request;
    if (url !== undefined) assertWebhookTarget(deps, { url, field: `${path}.include_webhook` });
    const earlier = numbers.get(item.subjectId);
    if (earlier !== undefined) throw invalidField(path, `means the same as items.${String(earlier)}`);
    numbers.set(item.subjectId, number);
    items.push(item);
    await giveWay();
  }
  return items;
}

/** @returns the error of an item, with the path of its field in the batch */
function within(path: string, error: unknown): unknown {
  if (!(error instanceof ApiError)) return error;
  const details = (error.extras.details ?? []).map((one) => ({ ...one, path: `${path}.${one.path}` }));
  return new ApiError(error.code, `${path}: ${error.message}`, { ...error.extras, details });
}

function inputOf({ id: batchId, startedBy, end, webhookUrl }: StoredBatch) {
  return { batchId, startedBy, end, ...optional('webhookUrl', webhookUrl) };
}

/** GET /api/batches: the caller's batches, newest first. Internal services see all. */
export const listBatches: UseCase<PageQuery, BatchList> = async (deps, caller, page) => {
  const { shown, next } = await ownPageOf(deps.batches, caller, page);
  const batches = await Promise.all(
    shown.map(async (batch) => renderBatch(await currentBatch(deps, batch), deps.rendering)),
  );
  return { state: 'finished', body: { batches, next_cursor: next } };
};

/** GET /api/batches/{batchId} */
export const getBatch: UseCase<OneBatch, BatchAnswer> = async (deps, caller, { batch_id: id }) => {
  const batch = await currentBatch(deps, await ownBatch(deps, caller, id));
  return { state: 'finished', body: renderBatch(batch, deps.rendering) };
};

/** GET /api/batches/{batchId}/items: a page of items, each with its record. */
export const listBatchItems: UseCase<
  OneBatch & { readonly state?: ItemState | undefined; readonly limit: number; readonly cursor?: number | undefined },
  BatchItemsAnswer
> = async (deps, caller, { batch_id: id, state, limit, cursor = 0 }) => {
  const items: BatchItemAnswer[] = [];
  for await (const one of storedItems(deps, await ownBatch(deps, caller, id), cursor)) {
    const { number, progress } = one;
    if (state !== undefined && (progress?.state ?? 'waiting') !== state) continue;
    if (items.length === limit) return { state: 'finished', body: { items, next_cursor: number } };
    items.push(await itemAnswerOf(deps, one));
  }
  return { state: 'finished', body: { items, next_cursor: null } };
};

export interface StoredItem {
  readonly number: number;
  readonly request: BatchItem['request'];
  readonly progress: ItemProgress | undefined;
}

/** @returns an item with its record */
export async function itemAnswerOf(
  { records, rendering }: Pick<ServiceDeps, 'records' | 'rendering'>,
  item: StoredItem,
): Promise<BatchItemAnswer> {
  const recordId = item.progress?.recordId;
  return renderBatchItem(item, recordId === undefined ? undefined : await records.getKnown(recordId), rendering);
}

/** The items of a batch from a number on, which are read piece by piece. */
export async function* storedItems(
  { batches }: Pick<ServiceDeps, 'batches'>,
  { id, items: total }: StoredBatch,
  from = 0,
): AsyncGenerator<StoredItem> {
  const start = Math.floor(from / BATCH_PIECE_ITEMS) * BATCH_PIECE_ITEMS;
  for (let first = start; first < total; first += BATCH_PIECE_ITEMS) {
    const piece = await batches.piece({ batchId: id, number: first / BATCH_PIECE_ITEMS + 1 });
    for (const { index, request, progress } of piece) {
      const number = first + index;
      if (number >= from) yield { number, request, progress };
    }
  }
}

/** POST /api/batches/{batchId}/cancel: starts no more items and cancels the jobs that the batch has started. */
export const cancelBatch: UseCase<OneBatch, BatchAnswer> = async (deps, caller, { batch_id: id }) => {
  const batch = await ownBatch(deps, caller, id);
  if (isEnded(batch)) {
    throw new ApiError('already_finished', 'The batch has ended already; there is nothing to cancel.', { id });
  }
  // A workflow that an operator has stopped is started once more, because only it changes the items.
  if (!(await deps.batchRuns.cancel(id))) await deps.batchRuns.start({ ...inputOf(batch), isCancelled: true });
  return pendingAnswer(deps, { ...batch, status: 'cancelling' });
};

/** POST /api/batches/{batchId}/resume: continues a paused batch, with another `max_cost` if one is given. */
export const resumeBatch: UseCase<OneBatch & { readonly max_cost?: string | undefined }, BatchAnswer> = async (
  deps,
  caller,
  { batch_id: id, max_cost: money },
) => {
  const batch = await currentBatch(deps, await ownBatch(deps, caller, id));
  if (batch.status !== 'paused') throw new ApiError('not_ready', 'Only a paused batch can be resumed.', { id });
  if (money !== undefined) await deps.batches.change(id, { maxCost: parseMoney(money) });
  if (!(await deps.batchRuns.resume(id))) await deps.batchRuns.start(inputOf(batch));
  return pendingAnswer(deps, (await deps.batches.get(id)) ?? batch);
};

/** POST /api/batches/{batchId}/retry: runs the failed items of an ended batch again, or reads its list again. */
export const retryBatch: UseCase<OneBatch, BatchAnswer> = async (deps, caller, { batch_id: id }) => {
  const batch = await ownBatch(deps, caller, id);
  if (!isEnded(batch)) {
    throw new ApiError('not_ready', 'Failed items are retried when the batch has ended.', {
      id,
      retryAfterSeconds: 30,
    });
  }
  if (batch.counts.failed === 0 && batch.status !== 'failed')
    throw new ApiError('already_finished', 'The batch has no failed items.', { id });
  const again = { ...batch, end: batch.end + 1 };
  await deps.batches.change(id, { end: again.end });
  await startAgain(deps, { ...inputOf(again), isRetry: true });
  return pendingAnswer(deps, { ...again, status: 'running' });
};

/** Starts an ended batch again. Its workflow stores the end before it closes, so it may still be open for a moment. */
async function startAgain({ batches, batchRuns }: ServiceDeps, input: BatchInput): Promise<void> {
  for (let tries = 1; !(await batchRuns.start(input)); tries += 1) {
    const batch = await batches.get(input.batchId);
    // Another request has started it again.
    if (batch !== undefined && !isEnded(batch)) return;
    if (tries === CLOSING_TRIES) {
      throw new ApiError('not_ready', 'The batch is still ending. Try again soon.', { retryAfterSeconds: 5 });
    }
    await delay(CLOSING_WAIT_MS);
  }
}

function pendingAnswer({ rendering }: ServiceDeps, batch: StoredBatch): Answer<BatchAnswer> {
  return { state: 'pending', body: renderBatch(batch, rendering), pollSeconds: 5 };
}

export function ownBatch(deps: ServiceDeps, caller: Caller, id: string): Promise<StoredBatch> {
  return ownOf(deps.batches, caller, { id, what: 'batch' });
}

/** A batch whose workflow was terminated would look as if it ran for ever. */
export async function currentBatch(deps: ServiceDeps, batch: StoredBatch): Promise<StoredBatch> {
  if (isEnded(batch) || batch.status === 'paused' || deps.now() - batch.updatedAtMs < SILENT_MS) return batch;
  const isOpen = await deps.batchRuns.isOpen(batch.id).catch(() => true);
  return isOpen ? batch : { ...batch, status: 'paused', pause: 'stopped_by_operator' };
}
