import { Context } from '@temporalio/activity';
import type { CollectedProfile, ProfileOrder } from '../../contract/batches/item-order.ts';
import type { BatchSource, ListRun, StoredBatch } from '../../contract/batches/batch-state.ts';
import type { DownloadRecord } from '../../contract/download-record.ts';
import type { WholeItem } from '../../contract/kinds/imgnet-media.ts';
import { postKinds, type ListEntry } from '../../contract/lists/list-entry.ts';
import type { Thousandths } from '../../contract/money.ts';
import type { StoredSubscription } from '../../contract/subscriptions/subscription-state.ts';
import { JobError } from '../../runtime/job-error.ts';
import { optional } from '../../runtime/optional.ts';
import type { ListSource } from '../../sources/vidnet/yt-dlp/yt-dlp-list.ts';
import { routeNamesOf, type RouteNames, type Routes, type UpstreamUse } from '../../pacing/routes.ts';
import type { KeyStore } from '../../store/accounts/key-store.ts';
import type { BatchStore } from '../../store/records/batch-store.ts';
import type { ContentsStore } from '../../store/records/contents-store.ts';
import { callerOf } from '../caller-of.ts';
import { titled } from '../record-title.ts';
import { retryWhileJobRuns } from '../retry-later.ts';

export interface ListSourceDeps {
  readonly keys: Pick<KeyStore, 'get'>;
  readonly contents: ContentsStore;
  readonly listSource: ListSource;
  /** Starts or joins the jobs that collect a profile, and reads how far they are. */
  readonly collectProfile: (order: ProfileOrder) => Promise<CollectedProfile>;
}

export interface LeaveListDeps {
  readonly batches: Pick<BatchStore, 'change'>;
  /** Cancels the jobs that an order has started, except those for which others wait. */
  readonly leaveProfile: (
    order: Pick<ProfileOrder, 'seed' | 'createdAtMs'>,
  ) => Promise<{ readonly cost: Thousandths; readonly isEnding: boolean }>;
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

interface ListOptions
  extends Pick<ProfileOrder, 'batchId' | 'money'>, Pick<StoredSubscription, 'startedBy' | 'listRun' | 'source'> {
  /** Stores what the list costs more than was known. */
  readonly note: (more: Thousandths, listRun: ListRun) => Promise<void>;
}

/**
 * @returns the driver of a list. The posts and reels of a profile, which it has newest first, are collected by jobs of their
 *   own: until these have ended, it fails with a retry delay, so that it keeps no slot that they need.
 */
export async function listSourceOf(
  deps: ListSourceDeps,
  { note, startedBy, listRun, source, batchId, ...options }: ListOptions,
): Promise<ListSource> {
  const { list, filter } = source;
  if (list.kind !== 'profile') return deps.listSource;
  const { account } = list;
  const { kinds = postKinds } = filter;
  const caller = await callerOf(deps.keys, { startedBy });
  if (caller === undefined) throw new JobError('keyRevoked');
  const { workflowExecution, scheduledTimestampMs: createdAtMs } = Context.current().info;
  const run = { id: workflowExecution?.runId ?? '', createdAtMs };
  const known = listRun?.id === run.id ? listRun.cost : undefined;
  // The run is stored before its jobs start, so that a cancellation finds them even if this process dies.
  if (known === undefined) await note(0, { ...run, cost: 0 });
  const money = options.money + (known ?? 0);
  const order = { account, batchId, money, caller, seed: run.id, createdAtMs };
  const { cost, jobs } = await deps.collectProfile(order);
  await note(cost - (known ?? 0), { ...run, cost });
  if ('code' in jobs) throw new JobError(jobs);
  const wanted = jobs.filter(
    ({ type }) => type === 'imgnet_profile' || kinds.some((kind) => type === `imgnet_list_${kind}s`),
  );
  if (wanted.some(({ status }) => status === 'pending')) {
    throw retryWhileJobRuns('The posts and reels of the profile are being collected.');
  }
  for (const job of wanted) if (job.status === 'failed') throw new JobError(job.failure);
  const read = async (): Promise<readonly ListEntry[]> => {
    // A reel may also be among the posts.
    const entries = new Map<string, ListEntry>();
    for (const job of wanted) for await (const entry of entriesOf(deps, job)) entries.set(entry.id, entry);
    return [...entries.values()].sort((a, b) => (b.publishedAtMs ?? 0) - (a.publishedAtMs ?? 0));
  };
  return {
    partsOf: () => Promise.resolve([{ url: account, subject: 'page' }]),
    async *entries(_part, most) {
      yield* (await read()).slice(0, most);
    },
  };
}

/** Cancels the jobs that collect the list of a batch. @returns whether they have not ended yet */
export async function leaveList(
  { batches, leaveProfile }: LeaveListDeps,
  { id, source, listRun, listCost = 0 }: StoredBatch,
): Promise<boolean> {
  if (listRun === undefined || source?.isListed === true) return false;
  const { cost, isEnding } = await leaveProfile({ seed: listRun.id, createdAtMs: listRun.createdAtMs });
  await batches.change(id, { listCost: listCost - listRun.cost + cost, listRun: { ...listRun, cost } });
  return isEnding;
}

async function* entriesOf({ contents }: ListSourceDeps, record: DownloadRecord): AsyncGenerator<ListEntry> {
  const lists = record.status === 'success' ? (record.lists ?? {}) : {};
  for (const [name, { pieces }] of Object.entries(lists)) {
    const list = contents.list<WholeItem['posts' | 'reels']>({ recordId: record.id, name, pieces });
    for await (const page of list.pages()) {
      for (const { shortcode: id, url, type: kind, description, date_posted: date, videos_duration: seconds } of page) {
        const { title = id } = titled(description ?? '');
        const publishedAtMs = date === null ? undefined : Date.parse(date);
        yield {
          ...{ id, url, title, kind },
          ...optional('seconds', seconds ?? undefined),
          ...optional('publishedAtMs', publishedAtMs),
        };
      }
    }
  }
}
