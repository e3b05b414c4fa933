import type { BatchItem } from '../../contract/batches/item-order.ts';
import type { BatchItemRequest } from '../../contract/batches/batch-item.ts';
import type { BatchSource, ListRun } from '../../contract/batches/batch-state.ts';
import type { JobResult } from '../../contract/download-record.ts';
import { passes } from '../../contract/lists/entry-filter.ts';
import { requestFor } from '../../contract/lists/entry-request.ts';
import type { ListEntry } from '../../contract/lists/list-entry.ts';
import type { Thousandths } from '../../contract/money.ts';
import { optional } from '../../runtime/optional.ts';
import { JobError } from '../../runtime/job-error.ts';
import { createYielder } from '../../runtime/subprocess/yield-to-event-loop.ts';
import { StaleCursorError } from '../../sources/vidnet/channel-source.ts';
import type { ListSource } from '../../sources/vidnet/yt-dlp/yt-dlp-list.ts';
import type { BatchStore } from '../../store/records/batch-store.ts';
import type { ListingState } from '../../store/records/contents-store.ts';
import { routeNamesOf, type RouteNames, type Routes, type UpstreamUse } from '../../pacing/routes.ts';
import { listSourceOf, type ListSourceDeps } from './list-source.ts';
import { withSourceCall, type RunningCall, type SourceCallDeps } from '../source-call.ts';

export interface BatchListingDeps extends SourceCallDeps, ListSourceDeps {
  readonly batches: BatchStore;
  /** Finds out what a request means and costs. A request that is refused becomes an item that will fail. */
  readonly planItem: (request: BatchItemRequest) => Promise<BatchItem>;
}

interface Listing {
  readonly listSource: ListSource;
  readonly list: { readonly recordId: string; readonly name: 'entries' };
  readonly source: BatchSource;
  readonly call: RunningCall;
}

const EMPTY: ListingState = { pieces: 0, items: 0 };

export function createBatchListing(deps: BatchListingDeps) {
  return {
    /** Lists the source of a batch and stores the entries as its items. A retry continues where the earlier attempt stopped. */
    listBatch: ({ batchId }: { readonly batchId: string }): Promise<JobResult> =>
      withSourceCall(deps, batchId, async (call) => {
        const batch = await deps.batches.get(batchId);
        const { source } = batch ?? {};
        if (batch === undefined || source === undefined) throw new Error(`batch ${batchId} has no source`);
        if (source.isListed) return {};
        // Before the first run, the cost is an estimate.
        const paid = batch.listRun === undefined ? 0 : (batch.listCost ?? 0);
        const money = (batch.maxCost ?? Infinity) - paid;
        const note = (more: Thousandths, listRun: ListRun): Promise<void> =>
          deps.batches.change(batchId, { listCost: paid + more, listRun });
        const listSource = await listSourceOf(deps, { ...batch, source }, { batchId, money, note });
        const list = { recordId: batchId, name: 'entries' } as const;
        const { pieces } = await storeEntries(deps, { listSource, list, source, call });
        const entries: ListEntry[] = [];
        for await (const page of deps.contents.list<ListEntry>({ ...list, pieces }).pages()) entries.push(...page);
        const chosen = (source.order === 'oldest' ? entries.reverse() : entries).slice(0, source.limit);
        const items = await itemsOf(deps, source, chosen);
        if (items.length > 0) await deps.batches.fill(batchId, items, { source: { ...source, isListed: true } });
        await deps.contents.removeList(list, pieces);
        if (items.length === 0) throw new JobError('listEmpty');
        return {};
      }),
  };
}

/** The first step of a listing, on the queue of the workflows. */
export function createListingStart(deps: BatchListingDeps & { readonly routes: Routes }) {
  const { listBatch } = createBatchListing(deps);
  return {
    /** @returns how the source of a batch is listed; undefined if that has been done, as it is here for a profile */
    async beginListing({ batchId }: { readonly batchId: string }): Promise<Required<ListingOrder> | undefined> {
      const { source } = (await deps.batches.get(batchId)) ?? {};
      if (source === undefined || source.isListed) return undefined;
      const { use, ...order } = listingOf(source, deps.routes);
      if (use !== undefined) return { ...order, use };
      await listBatch({ batchId });
      return undefined;
    },
  };
}

/** The order by which a workflow has a list read. */
export interface ListingOrder {
  readonly url: string;
  /** Undefined for a profile, which other jobs collect. */
  readonly use?: UpstreamUse;
  readonly routes: RouteNames;
}

export function listingOf({ url, list }: Pick<BatchSource, 'url' | 'list'>, routes: Routes): ListingOrder {
  const site = list.kind === 'page' ? list.site : undefined;
  const use = site === undefined ? 'vidnet-page' : (`site/${site}` as const);
  return { url, routes: routeNamesOf(routes), ...(list.kind !== 'profile' && { use }) };
}

/** Stores the entries that the filter lets through, page by page: first the page, then the position. */
async function storeEntries(deps: BatchListingDeps, listing: Listing): Promise<ListingState> {
  const stored = await deps.contents.state(listing.list);
  if (stored !== undefined && stored.next === undefined) return stored;
  try {
    return await storeFrom(deps, listing, stored ?? EMPTY);
  } catch (error) {
    if (!(error instanceof StaleCursorError) || stored === undefined) throw error;
    return storeFrom(deps, listing, EMPTY);
  }
}

async function storeFrom(
  { contents }: BatchListingDeps,
  { listSource, list, source, call }: Listing,
  known: ListingState,
): Promise<ListingState> {
  let state = known;
  const append = contents.appendTo(list, known);
  const parts = await listSource.partsOf(source.list, source.filter.kinds, call);
  for await (const { entries, next } of listSource.pages(parts, known.next, call)) {
    const wanted = entries.filter((entry) => passes(source.filter, entry));
    state = { ...(await append(wanted)), ...optional('next', next) };
    await contents.putState(list, state);
    call.report({ stage: 'listing', items: state.items });
    // The rest of the list is not needed.
    if (source.order === 'newest' && state.items >= source.limit) break;
  }
  const { pieces, items } = state;
  await contents.putState(list, { pieces, items });
  return { pieces, items };
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
