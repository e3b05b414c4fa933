import { newBatch } from '../../contract/batches/batch-state.ts';
import type { BatchItem } from '../../contract/batches/item-order.ts';
import { passes } from '../../contract/lists/entry-filter.ts';
import { requestFor } from '../../contract/lists/entry-request.ts';
import type { ListEntry, ListPart } from '../../contract/lists/list-entry.ts';
import { BATCH_ITEMS_MAX } from '../../contract/request-limits.ts';
import {
  dayOf,
  spentOn,
  type StoredSubscription,
  type WaitingEntry,
} from '../../contract/subscriptions/subscription-state.ts';
import { defined, optional } from '../../runtime/optional.ts';
import { nowMicroseconds } from '../../store/mongo/clock.ts';
import type { ListSource } from '../../sources/vidnet/yt-dlp/yt-dlp-list.ts';
import type { SubscriptionStore } from '../../store/records/subscription-store.ts';
import { withSourceCall, type RunningCall } from '../source-call.ts';
import type { BatchListingDeps } from '../batches/list-batch.ts';
import { listSourceOf } from '../batches/list-source.ts';

export interface NewEntriesDeps extends BatchListingDeps {
  readonly subscriptions: SubscriptionStore;
  readonly now: () => number;
}

/** So many entries are on one page of the platform. */
const FIRST_ENTRIES = 100;
/** If the entries that were read of a channel do not reach a known one, the next read has this many times as many. */
const GROWTH = 4;
/** A premiere that its list no longer shows is tried after this time, because others may have pushed it out. */
const UNSEEN_MS = 3 * 24 * 3_600_000;

interface Check {
  readonly subscription: StoredSubscription;
  readonly listSource: ListSource;
  readonly batchId: string;
  readonly call: RunningCall;
}

export function createNewEntries(deps: NewEntriesDeps) {
  return {
    /**
     * Reads the newest entries of a source, and fills a batch with those that are new. It may be repeated until the batch is
     * full, because entries count as known only by another batch or by none.
     */
    findNewEntries: ({ subscriptionId }: { readonly subscriptionId: string }): Promise<void> =>
      withSourceCall(deps, subscriptionId, async (call) => {
        const stored = await deps.subscriptions.get(subscriptionId);
        const { openBatch } = stored ?? {};
        // An earlier attempt may have come to its end.
        if (stored === undefined || openBatch === undefined || openBatch.isFull) return;
        if (stored.pause !== undefined) return;
        call.report({ stage: 'listing' });
        const { source, maxCostPerDay = Infinity } = stored;
        const before = spentOn(deps.now(), stored);
        const listSource = await listSourceOf(deps, {
          ...{ ...stored, batchId: openBatch.id, money: maxCostPerDay - before },
          note: (more, listRun) => {
            const counted = { day: dayOf(deps.now()), amount: before + more };
            return deps.subscriptions.change(subscriptionId, { spent: counted, listRun });
          },
        });
        const subscription = (await deps.subscriptions.get(subscriptionId)) ?? stored;
        const check: Check = { subscription, listSource, batchId: openBatch.id, call };
        const parts = subscription.parts ?? (await listSource.partsOf(source.list, source.filter.kinds, call));
        const { seen, old, total } = await readEntries(deps, check, parts);
        const { ready, waiting } = sorted(deps.now(), subscription, seen);
        const left = ready.filter((entry) => !passes(subscription.source.filter, entry));
        const wanted = ready.filter((entry) => passes(subscription.source.filter, entry));
        const isBacklog = subscription.parts === undefined && subscription.since === 'all' && wanted.length > 0;
        const { items, held, spent } = await affordable(deps, subscription, isBacklog ? [] : wanted);
        await deps.subscriptions.addKnown(subscriptionId, [...old, ...left.map(({ id }) => id)]);
        if (items.size > 0) {
          await storeBatch(deps, check, [...items.values()]);
          await deps.subscriptions.addKnown(subscriptionId, [...items.keys()], openBatch.id);
        }
        await deps.subscriptions.change(subscriptionId, {
          ...{ parts, spent, started: subscription.started + items.size },
          waiting: [...waiting, ...(isBacklog ? wanted : held)],
          ...optional('total', total),
          ...(items.size > 0 && { openBatch: { id: openBatch.id, isFull: true } }),
          ...(isBacklog && { pause: 'backlog' as const }),
        });
      }),
  };
}

/** @returns entries that are new or have waited, and the IDs of unknown entries that are older than the subscription */
async function readEntries(deps: NewEntriesDeps, check: Check, parts: readonly ListPart[]) {
  const { subscription, listSource, batchId, call } = check;
  const isFirst = subscription.parts === undefined;
  // Only the uploads of a channel are newest first. New entries of other lists may be anywhere, and have any age.
  const { kind } = subscription.source.list;
  const isNewestFirst = kind === 'channel';
  // A profile is collected whole, and has exact times.
  const isDated = kind === 'profile';
  const sinceMs = sinceMsOf(subscription);
  const isOld = ({ publishedAtMs }: ListEntry): boolean => {
    if (isFirst && subscription.since === 'now' && !isDated) return true;
    if (!isFirst && !isNewestFirst && !isDated) return false;
    return publishedAtMs === undefined ? isFirst && subscription.since !== 'all' : publishedAtMs < sinceMs;
  };
  const waitingIds = new Set(subscription.waiting.map(({ id }) => id));
  const seen = new Map<string, ListEntry>();
  const old = new Set<string>();
  let total: number | undefined;
  for (const part of parts) {
    const readsAll = isFirst && subscription.since === 'all';
    for (let most = readsAll ? Infinity : FIRST_ENTRIES; ; most = isNewestFirst ? GROWTH * most : Infinity) {
      const entries: ListEntry[] = [];
      let read = 0;
      for await (const entry of listSource.entries(part, most, call)) {
        read += 1;
        if (entry !== undefined) entries.push(entry);
      }
      const ids = entries.map(({ id }) => id);
      const known = await deps.subscriptions.known(subscription.id, ids);
      const isKnown = ({ id }: ListEntry): boolean => known.has(id) && known.get(id) !== batchId;
      for (const entry of entries) {
        if (isKnown(entry)) continue;
        if (isOld(entry)) old.add(entry.id);
        else seen.set(entry.id, entry);
      }
      call.report({ stage: 'listing', items: seen.size });
      total = entries[0]?.total;
      const last = entries.at(-1);
      const isReached = last === undefined || isKnown(last) || isOld(last);
      const hasNews = ids.some((id) => seen.has(id) && !waitingIds.has(id));
      const isSameLength = !isFirst && total !== undefined && total === subscription.total && !hasNews;
      if (read < most || (isNewestFirst ? isReached : isSameLength)) break;
    }
  }
  return { seen, old, total };
}

function sinceMsOf({ since, createdAt }: StoredSubscription): number {
  if (since === 'all') return -Infinity;
  // Sources state the times of entries in whole seconds.
  return Math.floor(Date.parse(since === 'now' ? createdAt : since) / 1000) * 1000;
}

/** Divides entries into those that can be fetched, and those that wait. */
function sorted(nowMs: number, { waiting: before }: StoredSubscription, seen: ReadonlyMap<string, ListEntry>) {
  const all = new Map<string, WaitingEntry>(before.map((entry) => [entry.id, entry]));
  for (const [id, entry] of seen) all.set(id, { ...entry, seenAtMs: all.get(id)?.seenAtMs ?? nowMs });
  const ready: WaitingEntry[] = [];
  const waiting: WaitingEntry[] = [];
  for (const [id, entry] of all) {
    const isLost = !seen.has(id) && nowMs - entry.seenAtMs >= UNSEEN_MS;
    (entry.state === undefined || isLost ? ready : waiting).push(entry);
  }
  return { ready, waiting };
}

/** Chooses the entries for which today has money. The others wait. */
async function affordable(
  { planItem, now }: Pick<NewEntriesDeps, 'planItem' | 'now'>,
  subscription: StoredSubscription,
  wanted: readonly WaitingEntry[],
) {
  const { source, maxCostPerDay = Infinity } = subscription;
  let amount = spentOn(now(), subscription);
  const items = new Map<string, BatchItem>();
  const held: WaitingEntry[] = [];
  for (const entry of wanted) {
    const item = await planItem(requestFor(source.each, entry));
    if (amount + item.price > maxCostPerDay || items.size === BATCH_ITEMS_MAX) {
      held.push(entry);
    } else {
      amount += item.price;
      items.set(entry.id, item);
    }
  }
  return { items, held, spent: { day: dayOf(now()), amount } };
}

async function storeBatch(deps: NewEntriesDeps, { subscription, batchId }: Check, items: readonly BatchItem[]) {
  const { id: subscriptionId, startedBy, source, name = source.url, skip, webhookUrl, itemWebhookUrl } = subscription;
  const batch = newBatch({
    ...{ id: batchId, startedBy, createdAt: nowMicroseconds(), updatedAtMs: Date.now(), skip, subscriptionId },
    ...{ name, ...defined({ webhookUrl, itemWebhookUrl }) },
  });
  await deps.batches.create(batch);
  await deps.batches.fill(batchId, items);
}
