import { z } from 'zod';
import type { DownloadRecord } from '../download-record.ts';
import { countSchema, moneySchema, NEXT_CURSOR_DESCRIPTION, nextCursor, timestampSchema } from '../http/fields.ts';
import { ulidSchema } from '../ids.ts';
import type { RecordContext } from '../kinds/kind.ts';
import { downloadRecordSchema, renderListed } from '../kinds/kinds.ts';
import { formatMoney } from '../money.ts';
import type { BatchItemRequest } from './batch-item.ts';
import {
  BATCH_ARCHIVE,
  batchStatuses,
  endedIn,
  forEachState,
  isEnded,
  itemStates,
  PAUSES,
  type ItemProgress,
  type StoredBatch,
} from './batch-state.ts';

export const failureSchema = z.object({ code: z.string(), message: z.string() });

/** @param reasons their sentences by code */
export function pauseSchemaOf<Reason extends string>(reasons: Readonly<Record<Reason, string>>) {
  return z
    .object({ code: z.enum(Object.keys(reasons) as [Reason, ...Reason[]]), message: z.string() })
    .nullable()
    .describe('POST …/resume continues it');
}

export const batchSchema = z
  .object({
    id: ulidSchema,
    name: z.string().nullable(),
    status: z.enum(batchStatuses),
    pause: pauseSchemaOf(PAUSES),
    from: z.string().nullable().describe('The list whose entries are the items'),
    failure: failureSchema.nullable().describe('Why that list could not be read'),
    items: countSchema.describe('The number of all items; 0 until the list is read'),
    counts: z.object(forEachState(countSchema)),
    cost: moneySchema.describe('The charges of the items that have ended, and of the list once it is read'),
    cost_at_most: moneySchema.describe('The same, with the prices of all other items and of the list'),
    list_cost: moneySchema
      .nullable()
      .describe(
        'The cost of the list of a profile: the least one until the number of its posts is known; null for other lists',
      ),
    max_cost: moneySchema.nullable(),
    items_per_minute: z
      .number()
      .nonnegative()
      .nullable()
      .describe('The rate of the last minutes; null if it is not known'),
    seconds_left: countSchema.nullable().describe('An estimate from that rate'),
    created_at: timestampSchema,
    finished_at: timestampSchema.nullable(),
    url: z.string().describe('The path of the batch'),
    archive_url: z.url().describe('Signed link to a Zip archive with the results of the items that have ended'),
  })
  .meta({ id: 'Batch' });
export type BatchAnswer = z.infer<typeof batchSchema>;

export const batchListSchema = z
  .object({ batches: z.array(batchSchema).describe('Newest first'), ...nextCursor })
  .meta({ id: 'BatchList' });
export type BatchList = z.infer<typeof batchListSchema>;

export const batchItemSchema = z
  .object({
    number: countSchema.describe('Counted from 0, in the order of the request'),
    state: z.enum(itemStates),
    operation: z.string().describe('The `operationId` of the single request'),
    request: z.record(z.string(), z.unknown()).describe('The body of the single request, without its webhook'),
    cost: moneySchema.describe('The charge for this item; 0.000 if its job was started by another request'),
    failure: failureSchema.nullable(),
    record: downloadRecordSchema.nullable().describe('The download record, as soon as the item has one'),
  })
  .meta({ id: 'BatchItem' });
export type BatchItemAnswer = z.infer<typeof batchItemSchema>;

export const batchItemsSchema = z
  .object({
    items: z.array(batchItemSchema),
    next_cursor: countSchema.nullable().describe(NEXT_CURSOR_DESCRIPTION),
  })
  .meta({ id: 'BatchItems' });
export type BatchItemsAnswer = z.infer<typeof batchItemsSchema>;

export const batchEventSchema = z
  .object({
    batch: batchSchema,
    ended: z.array(batchItemSchema).describe('The items that have ended since the event before'),
  })
  .meta({ id: 'BatchEvent' });
export type BatchEvent = z.infer<typeof batchEventSchema>;

export function renderBatch(batch: StoredBatch, { linkTo }: Pick<RecordContext, 'linkTo'>): BatchAnswer {
  const { id, name, status, pause, source, failure, items, counts, spent, open, maxCost, createdAt, finishedAt } =
    batch;
  const { listCost = 0 } = batch;
  const isListed = source?.isListed === true || isEnded(batch);
  const rate = rateOf(batch);
  const left = items - endedIn(counts);
  return {
    ...{ id, name: name ?? null, status, from: source?.url ?? null, failure: failure ?? null, items, counts },
    pause: pause === undefined ? null : { code: pause, message: PAUSES[pause] },
    cost: formatMoney(spent + (isListed ? listCost : 0)),
    cost_at_most: formatMoney(spent + open + listCost),
    list_cost: batch.listCost === undefined ? null : formatMoney(listCost),
    max_cost: maxCost === undefined ? null : formatMoney(maxCost),
    items_per_minute: rate === undefined ? null : Math.round(rate * 10) / 10,
    seconds_left: rate === undefined || rate === 0 ? null : Math.ceil((left / rate) * 60),
    created_at: createdAt,
    finished_at: finishedAt ?? null,
    url: `/api/batches/${id}`,
    archive_url: linkTo(id, BATCH_ARCHIVE.name),
  };
}

/** @returns how many items have ended per minute; undefined for a batch that does not run */
function rateOf({ marks, updatedAtMs, counts, status, ...batch }: StoredBatch): number | undefined {
  const [oldest] = marks;
  if (oldest === undefined || isEnded({ status, ...batch }) || status === 'paused') return undefined;
  const minutes = (updatedAtMs - oldest.atMs) / 60_000;
  return minutes > 0 ? Math.max(0, endedIn(counts) - oldest.ended) / minutes : undefined;
}

export function renderBatchItem(
  {
    number,
    request,
    progress,
  }: { readonly number: number; readonly request: BatchItemRequest; readonly progress: ItemProgress | undefined },
  record: DownloadRecord | undefined,
  context: RecordContext,
): BatchItemAnswer {
  const { operation, include_webhook: _secret, ...body } = request;
  return {
    number,
    state: progress?.state ?? 'waiting',
    operation,
    request: body,
    cost: formatMoney(progress?.cost ?? 0),
    failure: progress?.failure ?? null,
    record: record === undefined ? null : renderListed(record, context).data,
  };
}
