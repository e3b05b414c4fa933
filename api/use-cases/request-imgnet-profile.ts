import { ApiError } from '../../contract/errors.ts';
import { profileReferenceOf } from '../../contract/imgnet-urls.ts';
import {
  renderImgnetProfileResult,
  type ImgnetProfileRequest,
  type ImgnetProfileResult,
} from '../../contract/kinds/imgnet-profile.ts';
import { subjectIdOf } from '../../contract/subjects.ts';
import type { Answer } from '../answer.ts';
import type { ApiDeps } from '../deps.ts';
import { currentJob, stateOf } from './answers.ts';
import { requireImgnet } from './imgnet-access.ts';
import { lastResponseOf } from './last-response.ts';
import { startOrJoin } from './start-or-join.ts';
import { webhookOf } from './webhook-target.ts';

/**
 * POST /api/imgnet/profile: the profile of an account, or a job for it. A job that runs is joined.
 *
 * @throws ApiError `invalid_input` for what is no profile, `webhook_target_forbidden`, `insufficient_credit`, `unavailable`
 */
export async function requestImgnetProfile(
  deps: ApiDeps,
  request: ImgnetProfileRequest,
  waitMs: number,
): Promise<Answer<ImgnetProfileResult>> {
  const account = profileReferenceOf(request.url, deps.imgnet.hosts);
  if (account === undefined) throw new ApiError('invalid_input', `url: ${NO_PROFILE}`, { details: [DETAIL] });
  requireImgnet(deps);
  const { record } = await startOrJoin(deps, {
    ...{ workflow: 'imgnetProfile', type: 'imgnet_profile', mediaId: account },
    subjectId: subjectIdOf('imgnet_profile', account),
    price: deps.rendering.prices.profile,
    ...webhookOf(deps, request),
  });
  const job = await currentJob(deps, record, waitMs);
  const lastResponse = job.record.status === 'pending' ? await lastResponseOf(deps, record) : undefined;
  return {
    state: stateOf(job.record),
    body: await renderImgnetProfileResult(job.record, deps.rendering, { progress: job.progress, lastResponse }),
  };
}

const NO_PROFILE =
  'must be a profile of the photo platform: its URL, such as https://www.instagram.com/name/, or @name';
const DETAIL = { path: 'url', message: NO_PROFILE };
