import type { Caller } from '../../contract/http/account-schemas.ts';
import { ApiError } from '../../contract/http/api-error.ts';
import {
  renderImgnetList,
  type ListPart,
  type ImgnetListRequest,
  type ImgnetListResult,
} from '../../contract/kinds/imgnet-list.ts';
import { type ListPartName } from '../../contract/kinds/imgnet-list-job.ts';
import type { ImgnetProfileFields } from '../../contract/kinds/imgnet-profile.ts';
import { kinds } from '../../contract/kinds/kinds.ts';
import { LIST_ID_VALID_MS, LIST_POLL_INTERVAL_SECONDS } from '../../contract/request-limits.ts';
import { listPrice, splitListPrice } from '../../contract/kinds/list-price.ts';
import type { DownloadRecord, SuccessRecord } from '../../contract/download-record.ts';
import type { Streamable } from '../../contract/http/streams.ts';
import { subjectIdOf } from '../../contract/kinds/subjects.ts';
import { isWithin } from '../../contract/within.ts';
import { optional } from '../../runtime/optional.ts';
import type { RequestedList } from '../../store/records/list-store.ts';
import type { AcceptDeps, PlanDeps, ServiceDeps } from '../service-deps.ts';
import type { UseCase } from '../operations/operation.ts';
import { currentJob, lastResponseOf, notReady } from './current-job.ts';
import { followBoth, type Accepted } from './follow-jobs.ts';
import { requireImgnet } from './imgnet-requests.ts';
import { failureOf, orderOf, type JobPlan, type JobRequest } from './request-job.ts';
import type { NewJob } from './admission.ts';
import { startOrJoinBoth } from './start-or-join.ts';
import { assertWebhookTargets } from './subscribers.ts';

const DAY_MS = 86_400_000;
/** The platform did not exist before this time. */
const BEGINNING_MS = Date.UTC(2010, 0, 1);
export const LIST_TYPES = { posts: 'imgnet_list_posts', reels: 'imgnet_list_reels' } as const;
const FRESH_MS = kinds.imgnet_list_posts.freshness * 1000;
/** Within this time a request for a list has started its jobs or was refused. */
const STARTING_MS = 30_000;

/**
 * POST /api/imgnet/list: the posts and reels of an account, or a job for each of the two parts. Running jobs are joined, and
 * finished parts are not fetched again.
 */
export const requestImgnetList: UseCase<ImgnetListRequest & JobRequest, Streamable<ImgnetListResult>> = async (
  deps,
  caller,
  request,
) => {
  requireImgnet(deps);
  const profile = await profileOf(deps, request.list_id);
  assertWebhookTargets(deps, request);
  const { max_age_days: days, waitMs } = request;
  const [first, second] = await partsOf(deps, caller, { profile, days, ...orderOf(request) });
  const [posts, reels] = await Promise.all([partOf(deps, first, waitMs), partOf(deps, second, waitMs)]);
  const isPending = [posts, reels].some(({ record }) => record.status === 'pending');
  return {
    state: isPending ? 'pending' : 'finished',
    // The request failed only if both parts failed.
    failure: failureOf(posts) && failureOf(reels) && failureOf(posts),
    pollSeconds: LIST_POLL_INTERVAL_SECONDS,
    body: renderImgnetList({ posts, reels }, deps.rendering.contents),
  };
};

/** The part of the dependencies that starts the jobs of a list, in the api and for batches in the worker. */
export type ListDeps = AcceptDeps &
  PlanDeps &
  Pick<ServiceDeps, 'lists'> & { readonly rendering: Pick<ServiceDeps['rendering'], 'contents'> };

interface ListOptions extends Pick<NewJob, 'order' | 'batchId' | 'endsWithStarter' | 'webhookUrl'> {
  readonly profile: SuccessRecord;
  readonly days: number | undefined;
}

/**
 * A list that is running or has just ended answers polls, even if the day has changed or its `list_id` has expired. While one part
 * is running, the other is not fetched again, even if it failed.
 */
export async function partsOf(
  deps: ListDeps,
  caller: Caller,
  { profile, days, ...shared }: ListOptions,
): Promise<readonly [Accepted, Accepted]> {
  const nowMs = deps.now();
  const since = sinceOf(days, nowMs);
  const name = { listId: profile.id, days: since === undefined ? undefined : days };
  const before = await deps.lists.get(name);
  const current = before && (await currentListOf(deps, profile, { list: before, nowMs }));
  const mayStart = isWithin(await validSinceMs(deps, profile), LIST_ID_VALID_MS, nowMs);
  const { posts, reels } = current ?? {};
  if (posts !== undefined && reels !== undefined) {
    const isRunning = [posts, reels].some(({ status }) => status === 'pending');
    if (isRunning || !mayStart) return followBoth(deps, caller, { records: [posts, reels], ...shared });
  }
  if (!mayStart) {
    throw new ApiError('list_id_expired', 'The list_id is older than one hour. Request the profile again.');
  }
  const next = { requestedAtMs: nowMs, ...(since === undefined ? {} : { since }) };
  const list = current?.list ?? (await deps.lists.begin(name, next, before));
  const jobOf = await jobsOf(deps, profile, list);
  return startOrJoinBoth(deps, caller, [
    { ...jobOf('posts'), ...shared, success: successOf(posts) },
    { ...jobOf('reels'), ...shared, success: successOf(reels) },
  ]);
}

async function jobsOf(
  deps: ListDeps,
  profile: SuccessRecord,
  list: RequestedList,
): Promise<(part: ListPartName) => JobPlan> {
  const postsCount = await postsCountOf(deps, profile);
  const prices = splitListPrice(listPrice(deps.rendering.prices, postsCount));
  const { since } = list;
  return (part) => ({
    type: LIST_TYPES[part],
    mediaId: profile.mediaId,
    subjectId: subjectOf(part, profile, list),
    parameters: {
      part,
      ...(since === undefined ? {} : { sinceDate: since.slice(0, 10), since }),
      ...optional('postsCount', postsCount),
    },
    price: prices[part],
  });
}

export async function postsCountOf({ rendering }: ListDeps, { id }: SuccessRecord): Promise<number | undefined> {
  return (await rendering.contents.facts<ImgnetProfileFields>(id))?.posts_count;
}

/**
 * The state of a requested list, without the parts that were not started or are not known yet.
 * @returns undefined when the list ended more than an hour ago, so that it is fetched again
 */
async function currentListOf(
  deps: ListDeps,
  profile: SuccessRecord,
  { list, nowMs }: { readonly list: RequestedList; readonly nowMs: number },
) {
  const latest = (part: ListPartName) => deps.records.latestOf(subjectOf(part, profile, list));
  const [posts, reels] = [await latest('posts'), await latest('reels')];
  const isCurrent = [posts, reels].some((record) => {
    if (record === undefined) return isWithin(list.requestedAtMs, STARTING_MS, nowMs);
    return record.status === 'pending' || isWithin(Date.parse(record.finishedAt), FRESH_MS, nowMs);
  });
  return isCurrent ? { list, posts, reels } : undefined;
}

export function subjectOf(
  part: ListPartName,
  { mediaId }: Pick<SuccessRecord, 'mediaId'>,
  { since = 'all' }: Partial<RequestedList>,
): string {
  return subjectIdOf(LIST_TYPES[part], mediaId, since);
}

async function profileOf(deps: ServiceDeps, listId: string): Promise<SuccessRecord> {
  const found = await deps.records.get(listId);
  if (found?.type !== 'imgnet_profile') throw new ApiError('not_found', 'There is no profile with this list_id.');
  const { record } = await currentJob(deps, found, 0);
  switch (record.status) {
    case 'pending':
      throw notReady('The profile of this list_id is still being fetched.', record);
    case 'failed':
      throw new ApiError('not_found', 'The profile of this list_id could not be fetched.');
    case 'success':
      return record;
  }
}

/** @returns when the `list_id` was returned last, but not before the profile was fetched */
async function validSinceMs(deps: ListDeps, { id, finishedAt }: SuccessRecord): Promise<number> {
  return Math.max(Date.parse(finishedAt), (await deps.lists.handedOutAtMs(id)) ?? 0);
}

async function partOf(deps: ServiceDeps, accepted: Accepted, waitMs: number): Promise<ListPart> {
  const job = await currentJob(deps, accepted.record, waitMs);
  // A finished part has no `last_response`.
  return job.record.status === 'success' ? job : { ...job, lastResponse: await lastResponseOf(deps, job.record) };
}

function successOf(record: DownloadRecord | undefined): SuccessRecord | undefined {
  return record?.status === 'success' ? record : undefined;
}

function sinceOf(maxAgeDays: number | undefined, nowMs: number): string | undefined {
  if (maxAgeDays === undefined) return undefined;
  const sinceMs = nowMs - maxAgeDays * DAY_MS;
  return sinceMs < BEGINNING_MS ? undefined : new Date(sinceMs).toISOString();
}
