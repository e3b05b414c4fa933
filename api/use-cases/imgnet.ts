import {
  type ImgnetProfileFields,
  renderImgnetProfileResult,
  type ImgnetProfileRequest,
} from '../../contract/kinds/imgnet-profile.ts';
import type { Caller } from '../../contract/accounts.ts';
import { ApiError } from '../../contract/errors.ts';
import { postReferenceOf, profileReferenceOf, type PostReference } from '../../contract/imgnet-urls.ts';
import { LIST_ID_VALID_MS, LIST_POLL_INTERVAL_SECONDS } from '../../contract/limits.ts';
import {
  listPrice,
  splitListPrice,
  renderImgnetList,
  type ListPart,
  type ImgnetListRequest,
  type ImgnetListResult,
} from '../../contract/kinds/imgnet-list.ts';
import type { SuccessRecord } from '../../contract/records.ts';
import { renderImgnetAudioResult } from '../../contract/kinds/imgnet-audio.ts';
import {
  contentPrice,
  renderImgnetContentResult,
  type ImgnetPostRequest,
} from '../../contract/kinds/imgnet-content.ts';
import type { Streamable } from '../../contract/streams.ts';
import { postSubjectOf, subjectIdOf } from '../../contract/subjects.ts';
import type { ServiceDeps } from '../deps.ts';
import type { Answer } from '../operation.ts';
import { currentJob, lastResponseOf, notReady, type CurrentJob } from './current-job.ts';
import { failureOf, requesting, webhookOf, type JobPlan, type JobRequest } from './request-job.ts';
import { startOrJoinBoth, type Accepted, type NewJob } from './start-or-join.ts';

const DAY_MS = 86_400_000;
/** The platform did not exist before. */
const BEGINNING_MS = Date.UTC(2010, 0, 1);
const TYPES = { posts: 'imgnet_list_posts', reels: 'imgnet_list_reels' } as const;
type Part = keyof typeof TYPES;

const NO_PROFILE =
  'must be a profile of the photo platform: its URL, such as https://www.instagram.com/name/, or @name';
const NO_POST = 'must be a post or reel of the photo platform: a URL with /p/CODE/ or /reel/CODE/';

type PostRequest = ImgnetPostRequest & JobRequest;

/** POST /api/imgnet/profile: the profile of an account. */
export const requestImgnetProfile = requesting({
  plan: (deps, { url }: ImgnetProfileRequest & JobRequest): JobPlan => {
    const account = profileReferenceOf(url, deps.platforms.imgnetHosts);
    if (account === undefined) throw invalidUrl(NO_PROFILE);
    requireImgnet(deps);
    return {
      workflow: 'imgnetProfile',
      type: 'imgnet_profile',
      mediaId: account,
      subjectId: subjectIdOf('imgnet_profile', account),
      price: deps.rendering.prices.profile,
    };
  },
  render: async (deps, job) => renderImgnetProfileResult(job.record, deps.rendering, await stateOf(deps, job)),
});

/**
 * POST /api/imgnet/content: a post or reel. The price includes the owner's profile, which is charged only if it has to be
 * fetched.
 */
export const requestImgnetContent = requesting({
  plan: (deps, request: PostRequest): JobPlan => {
    const post = postOf(deps, request);
    const { prices } = deps.rendering;
    return {
      workflow: 'imgnetContent',
      type: 'imgnet_post',
      mediaId: post.shortcode,
      subjectId: postSubjectOf(post),
      parameters: { post, profilePrice: prices.profile },
      price: contentPrice(prices),
    };
  },
  render: async (deps, job) => renderImgnetContentResult(job.record, deps.rendering, await stateOf(deps, job)),
});

/** POST /api/imgnet/audio: the audio of a post or reel. */
export const requestImgnetAudio = requesting({
  plan: (deps, request: PostRequest): JobPlan => {
    const post = postOf(deps, request);
    return {
      workflow: 'imgnetAudio',
      type: 'imgnet_audio',
      mediaId: post.shortcode,
      subjectId: subjectIdOf('imgnet_audio', post.shortcode),
      parameters: { post },
      price: deps.rendering.prices.imgnetAudio,
    };
  },
  render: ({ rendering }, { record, progress }) => renderImgnetAudioResult(record, rendering, progress),
});

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
  const facts = await deps.rendering.contents.facts<ImgnetProfileFields>(profile.id);
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
    // Of two reasons the body tells the code of the first too; with one part there, it is a success.
    failure: failureOf(posts) && failureOf(reels) && failureOf(posts),
    pollSeconds: LIST_POLL_INTERVAL_SECONDS,
    body: renderImgnetList({ posts, reels }, deps.rendering.contents),
  };
}

/** The post or reel that a request names. @throws ApiError `invalid_input`, `unavailable` */
function postOf(deps: ServiceDeps, { url }: PostRequest): PostReference {
  const post = postReferenceOf(url, deps.platforms.imgnetHosts);
  if (post === undefined) throw invalidUrl(NO_POST);
  requireImgnet(deps);
  return post;
}

/**
 * Refuses what needs the photo platform where that was not set up: no job is started that can't succeed.
 *
 * @throws ApiError `unavailable`
 */
function requireImgnet(deps: ServiceDeps): void {
  if (deps.platforms.isImgnetConfigured) return;
  throw new ApiError('unavailable', 'The photo platform is not set up here: the operator must set IMGNET_API_TOKEN.');
}

/** What a pending answer tells of its job. */
async function stateOf(deps: ServiceDeps, { record, progress }: CurrentJob) {
  return { progress, lastResponse: record.status === 'pending' ? await lastResponseOf(deps, record) : undefined };
}

function invalidUrl(message: string): ApiError {
  return new ApiError('invalid_input', `url: ${message}`, { details: [{ path: 'url', message }] });
}

/** The profile that a `list_id` stands for. */
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
