import type { Caller } from '../../contract/accounts.ts';
import { ApiError } from '../../contract/errors.ts';
import { LIST_ID_VALID_MS, LIST_POLL_INTERVAL_SECONDS, POLL_INTERVAL_SECONDS } from '../../contract/limits.ts';
import { listPrice, splitListPrice } from '../../contract/prices.ts';
import type { SuccessRecord } from '../../contract/records.ts';
import { renderImgnetList, type ListPart } from '../../contract/render/imgnet-list.ts';
import type { ImgnetListRequest } from '../../contract/requests.ts';
import type { ImgnetListResult } from '../../contract/results/imgnet-list.ts';
import type { Streamable } from '../../contract/streams.ts';
import { subjectIdOf } from '../../contract/subjects.ts';
import type { ServiceDeps } from '../deps.ts';
import type { Answer } from '../operation.ts';
import { currentJob, lastResponseOf } from './current-job.ts';
import { requireImgnet } from './imgnet.ts';
import { webhookOf, type JobRequest } from './request-job.ts';
import { startOrJoinBoth, type Accepted, type NewJob } from './start-or-join.ts';

const DAY_MS = 86_400_000;
/** The platform did not exist before. */
const BEGINNING_MS = Date.UTC(2010, 0, 1);
const TYPES = { posts: 'imgnet_list_posts', reels: 'imgnet_list_reels' } as const;
type Part = keyof typeof TYPES;

/**
 * POST /api/imgnet/list: the posts and reels of an account, or a job for each of the two. Jobs that run are joined, and
 * what is finished is not fetched again.
 *
 * @throws ApiError `not_found`, `not_ready`, `list_id_expired`, `webhook_target_forbidden`, `insufficient_credit`,
 *   `unavailable`
 */
export async function requestImgnetList(
  deps: ServiceDeps,
  caller: Caller,
  request: ImgnetListRequest & JobRequest,
): Promise<Answer<Streamable<ImgnetListResult>>> {
  requireImgnet(deps);
  const profile = await profileOf(deps, request.list_id);
  const webhookUrl = webhookOf(deps, request);
  const facts = await deps.rendering.contents.facts<'imgnet_profile'>(profile.id);
  const prices = splitListPrice(listPrice(deps.rendering.prices, facts?.posts_count));
  const sinceDate = sinceDateOf(request.max_age_days, deps.now());
  const jobOf = (part: Part): NewJob => ({
    workflow: 'imgnetList',
    type: TYPES[part],
    mediaId: profile.mediaId,
    subjectId: subjectIdOf(TYPES[part], profile.mediaId, sinceDate ?? 'all'),
    parameters: {
      part,
      ...(sinceDate === undefined ? {} : { sinceDate }),
      ...(facts?.posts_count === undefined ? {} : { postsCount: facts.posts_count }),
    },
    price: prices[part],
    webhookUrl,
  });
  const [first, second] = await startOrJoinBoth(deps, caller, [jobOf('posts'), jobOf('reels')]);
  const { waitMs } = request;
  const [posts, reels] = await Promise.all([partOf(deps, first, waitMs), partOf(deps, second, waitMs)]);
  const isPending = [posts, reels].some(({ record }) => record.status === 'pending');
  return {
    state: isPending ? 'pending' : 'finished',
    pollSeconds: LIST_POLL_INTERVAL_SECONDS,
    body: renderImgnetList({ posts, reels }, deps.rendering.contents),
  };
}

/** The profile that a `list_id` stands for. */
async function profileOf(deps: ServiceDeps, listId: string): Promise<SuccessRecord> {
  const found = await deps.records.get(listId);
  if (found?.type !== 'imgnet_profile') throw new ApiError('not_found', 'There is no profile with this list_id.');
  const { record } = await currentJob(deps, found, 0);
  switch (record.status) {
    case 'pending':
      throw new ApiError('not_ready', 'The profile of this list_id is still being fetched.', {
        id: record.id,
        retryAfterSeconds: POLL_INTERVAL_SECONDS,
      });
    case 'failed':
      throw new ApiError('not_found', 'The profile of this list_id could not be fetched.');
    case 'success':
      if (deps.now() < Date.parse(record.finishedAt) + LIST_ID_VALID_MS) return record;
      throw new ApiError('list_id_expired', 'The list_id is older than one hour. Request the profile again.');
  }
}

async function partOf(deps: ServiceDeps, accepted: Accepted, waitMs: number): Promise<ListPart> {
  const job = await currentJob(deps, accepted.record, waitMs);
  // A part that is here has nothing to tell of an earlier failure.
  return job.record.status === 'success' ? job : { ...job, lastResponse: await lastResponseOf(deps, job.record) };
}

/** @returns the first day in UTC; undefined for everything */
function sinceDateOf(maxAgeDays: number | undefined, nowMs: number): string | undefined {
  if (maxAgeDays === undefined) return undefined;
  const sinceMs = nowMs - maxAgeDays * DAY_MS;
  return sinceMs < BEGINNING_MS ? undefined : new Date(sinceMs).toISOString().slice(0, 10);
}
