import { newBatch } from '../../contract/batches/batch-state.ts';
import type { BatchItem } from '../../contract/batches/item-order.ts';
import { passes } from '../../contract/lists/entry-filter.ts';
import { requestFor } from '../../contract/lists/entry-request.ts';
import type { ListEntry } from '../../contract/lists/list-entry.ts';
import { BATCH_ITEMS_MAX } from '../../contract/request-limits.ts';
import {
  dayOf,
  spentOn,
  type FoundPart,
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
        const listSource = await listSourceOf(deps, stored, {
          ...{ batchId: openBatch.id, money: maxCostPerDay - before },
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
        const { items, held, spent } = isBacklog
          ? { items: new Map<string, BatchItem>(), held: wanted, spent: subscription.spent }
          : await affordable(deps, subscription, wanted);
        await deps.subscriptions.addKnown(subscriptionId, [...old, ...left.map(({ id }) => id)]);
        if (items.size > 0) {
          await storeBatch(deps, check, [...items.values()]);
          await deps.subscriptions.addKnown(subscriptionId, [...items.keys()], openBatch.id);
        }
        await deps.subscriptions.change(subscriptionId, {
          ...{ parts, spent, started: subscription.started + items.size },
          waiting: [...waiting, ...held.map((entry) => ({ seenAtMs: deps.now(), ...entry }))],
          ...optional('total', total),
          ...(items.size > 0 && { openBatch: { id: openBatch.id, isFull: true } }),
          ...(isBacklog && { pause: 'backlog' as const }),
        });
      }),
  };
}

interface FoundEntries {
  /** Entries that are new or have waited. */
  readonly seen: readonly ListEntry[];
  /** The IDs of unknown entries that are older than the subscription. */
  readonly old: readonly string[];
  readonly total?: number;
}

async function readEntries(deps: NewEntriesDeps, check: Check, parts: readonly FoundPart[]): Promise<FoundEntries> {
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
  const seen: ListEntry[] = [];
  const old: string[] = [];
  let total: number | undefined;
  /** @returns whether the entries that follow are known or old */
  const take = async (entries: readonly ListEntry[]): Promise<boolean> => {
    const known = await deps.subscriptions.known(
      subscription.id,
      entries.map(({ id }) => id),
    );
    const isKnown = ({ id }: ListEntry): boolean => known.has(id) && known.get(id) !== batchId;
    const unknown = entries.filter((entry) => !isKnown(entry));
    old.push(...unknown.filter(isOld).map(({ id }) => id));
    seen.push(...unknown.filter((entry) => !isOld(entry)));
    const last = entries.at(-1);
    return last === undefined || isKnown(last) || isOld(last);
  };
  for (const part of parts) {
    const first: ListEntry[] = [];
    for await (const entry of listSource.first([part], FIRST_ENTRIES, call)) first.push(entry);
    total = first[0]?.total;
    const isReached = await take(first);
    const hasNews = first.some(({ id }) => seen.some((one) => one.id === id) && !waitingIds.has(id));
    const isSameLength = !isFirst && total !== undefined && total === subscription.total && !hasNews;
    if (first.length < FIRST_ENTRIES || (isNewestFirst ? isReached : isSameLength)) continue;
    let isPast = false;
    for await (const { entries } of listSource.pages([part], undefined, call)) {
      const more = entries.filter(({ id }) => !first.some((one) => one.id === id));
      isPast = (await take(more)) && isNewestFirst && more.length > 0;
      call.report({ stage: 'listing', items: seen.length });
      if (isPast) break;
    }
  }
  return { seen, old, ...optional('total', total) };
}

function sinceMsOf({ since, createdAt }: StoredSubscription): number {
  if (since === 'all') return -Infinity;
  // Sources state the times of entries in whole seconds.
  return Math.floor(Date.parse(since === 'now' ? createdAt : since) / 1000) * 1000;
}

/** Divides entries into those that can be fetched, and those that wait. */
function sorted(nowMs: number, { waiting: before }: StoredSubscription, seen: readonly ListEntry[]) {
  const ready = new Map<string, ListEntry>();
  const waiting = new Map<string, WaitingEntry>(before.map((entry) => [entry.id, entry]));
  for (const entry of seen) {
    const { seenAtMs = nowMs } = waiting.get(entry.id) ?? {};
    waiting.set(entry.id, { ...entry, seenAtMs });
  }
  const seenIds = new Set(seen.map(({ id }) => id));
  for (const [id, entry] of waiting) {
    const isLost = !seenIds.has(id) && nowMs - entry.seenAtMs >= UNSEEN_MS;
    if (entry.state !== undefined && !isLost) continue;
    ready.set(id, entry);
    waiting.delete(id);
  }
  return { ready: [...ready.values()], waiting: [...waiting.values()] };
}

/** Chooses the entries for which today has money. The others wait. */
async function affordable(
  { planItem, now }: Pick<NewEntriesDeps, 'planItem' | 'now'>,
  { source, spent, maxCostPerDay = Infinity }: StoredSubscription,
  wanted: readonly ListEntry[],
) {
  let amount = spentOn(now(), { spent });
  const items = new Map<string, BatchItem>();
  const held: ListEntry[] = [];
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
