import {
  contentPrice,
  renderImgnetContentResult,
  type ImgnetPostRequest,
  type ImgnetContentResult,
} from '../../contract/kinds/imgnet-content.ts';
import { postSubjectOf } from '../../contract/subjects.ts';
import type { Answer } from '../answer.ts';
import type { ApiDeps } from '../deps.ts';
import { currentJob, stateOf } from './answers.ts';
import { requireImgnet } from './imgnet-access.ts';
import { postOf } from './imgnet-post.ts';
import { lastResponseOf } from './last-response.ts';
import { startOrJoin } from './start-or-join.ts';
import { webhookOf } from './webhook-target.ts';

/**
 * POST /api/imgnet/content: a post or reel, or a job for it. A job that runs is joined. The price includes the owner's
 * profile, which is charged only if it has to be fetched.
 *
 * @throws ApiError `invalid_input` for what is no post, `webhook_target_forbidden`, `insufficient_credit`, `unavailable`
 */
export async function requestImgnetContent(
  deps: ApiDeps,
  request: ImgnetPostRequest,
  waitMs: number,
): Promise<Answer<ImgnetContentResult>> {
  const post = postOf(deps, request);
  requireImgnet(deps);
  const { prices } = deps.rendering;
  const { record } = await startOrJoin(deps, {
    ...{ workflow: 'imgnetContent', type: 'imgnet_post', mediaId: post.shortcode, subjectId: postSubjectOf(post) },
    price: contentPrice(prices),
    parameters: { post, profilePrice: prices.profile },
    ...webhookOf(deps, request),
  });
  const job = await currentJob(deps, record, waitMs);
  const lastResponse = job.record.status === 'pending' ? await lastResponseOf(deps, record) : undefined;
  return {
    state: stateOf(job.record),
    body: await renderImgnetContentResult(job.record, deps.rendering, { progress: job.progress, lastResponse }),
  };
}
