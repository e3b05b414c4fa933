import { renderImgnetProfileResult, type ImgnetProfileRequest } from '../../contract/kinds/imgnet-profile.ts';
import { ApiError } from '../../contract/http/api-error.ts';
import {
  noPostReason,
  postReferenceOf,
  profileReferenceOf,
  type PostReference,
} from '../../contract/urls/imgnet-urls.ts';
import {
  contentPrice,
  renderImgnetContentResult,
  type ImgnetPostRequest,
} from '../../contract/kinds/imgnet-content.ts';
import { postSubjectOf, subjectIdOf } from '../../contract/kinds/subjects.ts';
import { isReusable } from '../../store/records/is-reusable.ts';
import type { PlanDeps, ServiceDeps } from '../service-deps.ts';
import { invalidField } from '../http/to-api-error.ts';
import { lastResponseOf, type CurrentJob } from './current-job.ts';
import { requesting, type JobPlan } from './request-job.ts';

const NO_PROFILE =
  'must be a profile of the photo platform: its URL, such as https://www.instagram.com/name/, or @name';
const NO_POST = 'must be a post or reel of the photo platform: a URL with /p/CODE/ or /reel/CODE/';

type PostRequest = Pick<ImgnetPostRequest, 'url'>;

export const requestImgnetProfile = requesting(planImgnetProfile, async (deps, job) =>
  renderImgnetProfileResult(job.record, deps.rendering, await stateOf(deps, job)),
);

/** POST /api/imgnet/content: a post or reel. The profile of the owner is charged only if it has to be fetched. */
export const requestImgnetContent = requesting(planImgnetContent, async (deps, job) =>
  renderImgnetContentResult(job.record, deps.rendering, await stateOf(deps, job)),
);

export const requestImgnetAudio = requesting(planImgnetAudio);

export function planImgnetProfile(
  deps: PlanDeps,
  { url }: Pick<ImgnetProfileRequest, 'url'>,
): JobPlan<'imgnet_profile'> {
  const account = profileReferenceOf(url, deps.platforms.imgnetHosts);
  if (account === undefined) throw invalidField('url', NO_PROFILE);
  requireImgnet(deps);
  return {
    type: 'imgnet_profile',
    mediaId: account,
    subjectId: subjectIdOf('imgnet_profile', account),
    price: deps.rendering.prices.profile,
  };
}

export async function planImgnetContent(deps: PlanDeps, request: PostRequest): Promise<JobPlan<'imgnet_post'>> {
  const post = postOf(deps, request);
  const profilePrice = await profilePriceOf(deps, post);
  return {
    type: 'imgnet_post',
    mediaId: post.shortcode,
    subjectId: postSubjectOf(post),
    parameters: { post, profilePrice },
    price: contentPrice({ ...deps.rendering.prices, profile: profilePrice }),
  };
}

export function planImgnetAudio(deps: PlanDeps, request: PostRequest): JobPlan<'imgnet_audio'> {
  const post = postOf(deps, request);
  return {
    type: 'imgnet_audio',
    mediaId: post.shortcode,
    subjectId: subjectIdOf('imgnet_audio', post.shortcode),
    parameters: { post },
    price: deps.rendering.prices.imgnetAudio,
  };
}

/** @returns 0 if the profile of a post's owner is stored. The owner is known from a profile or from earlier content. */
export async function profilePriceOf(
  { records, files, now, rendering }: Omit<PlanDeps, 'platforms'>,
  { shortcode }: PostReference,
): Promise<number> {
  const account = await records.ownerOf(subjectIdOf('imgnet_audio', shortcode));
  const profile = account && (await records.successOf(subjectIdOf('imgnet_profile', account)));
  return profile && (await isReusable(profile, files, now())) ? 0 : rendering.prices.profile;
}

function postOf(deps: Pick<PlanDeps, 'platforms'>, { url }: PostRequest): PostReference {
  const post = postReferenceOf(url, deps.platforms.imgnetHosts);
  if (post === undefined) throw invalidField('url', noPostReason(url, deps.platforms.imgnetHosts) ?? NO_POST);
  requireImgnet(deps);
  return post;
}

export function requireImgnet(deps: Pick<ServiceDeps, 'platforms'>): void {
  const refusal = imgnetRefusal(deps.platforms);
  if (refusal !== undefined) throw new ApiError('unavailable', refusal);
}

export function imgnetRefusal({ isImgnetConfigured }: ServiceDeps['platforms']): string | undefined {
  if (isImgnetConfigured) return undefined;
  return 'The photo platform is not set up here: the operator must set IMGNET_API_TOKEN.';
}

async function stateOf(deps: ServiceDeps, { record, progress }: CurrentJob) {
  return { progress, lastResponse: record.status === 'pending' ? await lastResponseOf(deps, record) : undefined };
}
