import type { BatchItem } from '../../contract/batches/item-order.ts';
import type { BatchItemRequest } from '../../contract/batches/batch-item.ts';
import type { BatchSource } from '../../contract/batches/batch-state.ts';
import type { JobResult } from '../../contract/download-record.ts';
import { passes } from '../../contract/lists/entry-filter.ts';
import { requestFor } from '../../contract/lists/entry-request.ts';
import type { ListEntry } from '../../contract/lists/list-entry.ts';
import { JobError } from '../../runtime/job-error.ts';
import { createYielder } from '../../runtime/subprocess/yield-to-event-loop.ts';
import type { ListSource } from '../../sources/vidnet/yt-dlp/yt-dlp-list.ts';
import type { BatchStore } from '../../store/records/batch-store.ts';
import { listSourceOf, type ListSourceDeps } from './list-source.ts';
import { withSourceCall, type RunningCall, type SourceCallDeps } from '../source-call.ts';

export interface BatchListingDeps extends SourceCallDeps, ListSourceDeps {
  readonly batches: BatchStore;
  /** Finds out what a request means and costs. A request that is refused becomes an item that will fail. */
  readonly planItem: (request: BatchItemRequest) => Promise<BatchItem>;
}

export function createBatchListing(deps: BatchListingDeps) {
  return {
    /** Lists the source of a batch and stores the entries as its items, all or none. */
    listBatch: ({ batchId }: { readonly batchId: string }): Promise<JobResult> =>
      withSourceCall(deps, batchId, async (call) => {
        const batch = await deps.batches.get(batchId);
        const { source } = batch ?? {};
        if (batch === undefined || source === undefined) throw new Error(`batch ${batchId} has no source`);
        if (source.isListed) return {};
        // Before the first run, the cost is an estimate.
        const paid = batch.listRun === undefined ? 0 : (batch.listCost ?? 0);
        const listSource = await listSourceOf(deps, {
          ...{ ...batch, source, batchId, money: (batch.maxCost ?? Infinity) - paid },
          note: (more, listRun) => deps.batches.change(batchId, { listCost: paid + more, listRun }),
        });
        const items = await itemsOf(deps, source, await entriesOf(listSource, source, call));
        if (items.length === 0) throw new JobError('listEmpty');
        await deps.batches.fill(batchId, items, { source: { ...source, isListed: true } });
        return {};
      }),
  };
}

/** @returns the wanted entries, once each, in the wanted order */
async function entriesOf(
  listSource: ListSource,
  { list, filter, limit, order }: BatchSource,
  call: RunningCall,
): Promise<readonly ListEntry[]> {
  const wanted = new Map<string, ListEntry>();
  for (const part of await listSource.partsOf(list, filter.kinds, call)) {
    for await (const entry of listSource.entries(part, Infinity, call)) {
      if (entry !== undefined && passes(filter, entry)) wanted.set(entry.id, entry);
      call.report({ stage: 'listing', items: wanted.size });
      // The rest of the list is not needed.
      if (order === 'newest' && wanted.size === limit) return [...wanted.values()];
    }
  }
  return (order === 'newest' ? [...wanted.values()] : [...wanted.values()].reverse()).slice(0, limit);
}

/** Entries that mean the same job become one item. */
async function itemsOf(
  { planItem }: Pick<BatchListingDeps, 'planItem'>,
  { each }: Pick<BatchSource, 'each'>,
  entries: readonly ListEntry[],
): Promise<readonly BatchItem[]> {
  const giveWay = createYielder();
  const items = new Map<string, BatchItem>();
  for (const entry of entries) {
    const item = await planItem(requestFor(each, entry));
    if (!items.has(item.subjectId)) items.set(item.subjectId, item);
    await giveWay();
  }
  return [...items.values()];
}
