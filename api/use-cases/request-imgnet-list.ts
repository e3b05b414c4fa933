import { ApiError } from '../../contract/errors.ts';
import { LIST_ID_VALID_MS, LIST_POLL_INTERVAL_SECONDS, POLL_INTERVAL_SECONDS } from '../../contract/limits.ts';
import { optional } from '../../runtime/optional.ts';
import {
  listPrice,
  splitListPrice,
  renderImgnetList,
  type ListPart,
  type ImgnetListRequest,
  type ImgnetListResult,
} from '../../contract/kinds/imgnet-list.ts';
import type { SuccessRecord } from '../../contract/records.ts';
import type { Streamable } from '../../contract/streams.ts';
import { subjectIdOf } from '../../contract/subjects.ts';
import type { ImgnetProfileFields } from '../../contract/kinds/imgnet-profile.ts';
import type { Answer } from '../answer.ts';
import type { ApiDeps } from '../deps.ts';
import { currentJob } from './answers.ts';
import { requireImgnet } from './imgnet-access.ts';
import { lastResponseOf } from './last-response.ts';
import { startOrJoinBoth, type NewJob } from './start-or-join.ts';
import { webhookOf } from './webhook-target.ts';

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
  deps: ApiDeps,
  request: ImgnetListRequest,
  waitMs: number,
): Promise<Answer<Streamable<ImgnetListResult>>> {
  requireImgnet(deps);
  const profile = await profileOf(deps, request.list_id);
  const webhook = webhookOf(deps, request);
  const facts = await deps.rendering.contents.facts<ImgnetProfileFields>(profile.id);
  const prices = splitListPrice(listPrice(deps.rendering.prices, facts?.posts_count));
  const sinceDate = sinceDateOf(request.max_age_days, deps.now());
  const jobOf = (part: Part): NewJob => ({
    ...{ workflow: 'imgnetList', type: TYPES[part], mediaId: profile.mediaId, price: prices[part] },
    subjectId: subjectIdOf(TYPES[part], profile.mediaId, sinceDate ?? 'all'),
    parameters: { part, ...optional('sinceDate', sinceDate), ...optional('postsCount', facts?.posts_count) },
    ...webhook,
  });
  const accepted = await startOrJoinBoth(deps, jobOf('posts'), jobOf('reels'));
  const [posts, reels] = await Promise.all(accepted.map(async ({ record }) => partOf(deps, record, waitMs)));
  if (posts === undefined || reels === undefined) throw new Error('a list has two parts');
  const isPending = [posts, reels].some(({ record }) => record.status === 'pending');
  return {
    state: isPending ? 'pending' : 'finished',
    pollSeconds: LIST_POLL_INTERVAL_SECONDS,
    body: renderImgnetList({ posts, reels }, deps.rendering.contents),
  };
}

/** The profile that a `list_id` stands for. */
async function profileOf(deps: ApiDeps, listId: string): Promise<SuccessRecord> {
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

async function partOf(deps: ApiDeps, accepted: ListPart['record'], waitMs: number): Promise<ListPart> {
  const job = await currentJob(deps, accepted, waitMs);
  // A part that is here has nothing to tell of an earlier failure.
  return job.record.status === 'success' ? job : { ...job, lastResponse: await lastResponseOf(deps, job.record) };
}

/** @returns the first day in UTC; undefined for everything */
function sinceDateOf(maxAgeDays: number | undefined, nowMs: number): string | undefined {
  if (maxAgeDays === undefined) return undefined;
  const sinceMs = nowMs - maxAgeDays * DAY_MS;
  return sinceMs < BEGINNING_MS ? undefined : new Date(sinceMs).toISOString().slice(0, 10);
}
