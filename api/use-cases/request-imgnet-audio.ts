import { renderImgnetAudioResult, type ImgnetAudioResult } from '../../contract/kinds/imgnet-audio.ts';
import type { ImgnetPostRequest } from '../../contract/kinds/imgnet-content.ts';
import { subjectIdOf } from '../../contract/subjects.ts';
import type { Answer } from '../answer.ts';
import type { ApiDeps } from '../deps.ts';
import { currentJob, stateOf } from './answers.ts';
import { requireImgnet } from './imgnet-access.ts';
import { postOf } from './imgnet-post.ts';
import { startOrJoin } from './start-or-join.ts';
import { webhookOf } from './webhook-target.ts';

/**
 * POST /api/imgnet/audio: the audio of a post or reel, or a job for it. A job that runs is joined.
 *
 * @throws ApiError `invalid_input` for what is no post, `webhook_target_forbidden`, `insufficient_credit`, `unavailable`
 */
export async function requestImgnetAudio(
  deps: ApiDeps,
  request: ImgnetPostRequest,
  waitMs: number,
): Promise<Answer<ImgnetAudioResult>> {
  const post = postOf(deps, request);
  requireImgnet(deps);
  const { record } = await startOrJoin(deps, {
    ...{ workflow: 'imgnetAudio', type: 'imgnet_audio', mediaId: post.shortcode, parameters: { post } },
    subjectId: subjectIdOf('imgnet_audio', post.shortcode),
    price: deps.rendering.prices.imgnetAudio,
    ...webhookOf(deps, request),
  });
  const job = await currentJob(deps, record, waitMs);
  return { state: stateOf(job.record), body: renderImgnetAudioResult(job.record, deps.rendering, job.progress) };
}
