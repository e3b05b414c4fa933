import {
  transcriptPrice,
  type TranscriptParameters,
  type TranscriptRequest,
  type TranscriptResult,
} from '../../contract/kinds/transcript.ts';
import type { Streamable } from '../../contract/streams.ts';
import { subjectIdOf } from '../../contract/subjects.ts';
import type { Answer } from '../answer.ts';
import type { ApiDeps } from '../deps.ts';
import { answerTranscript } from './get-transcript.ts';
import { currentJob } from './answers.ts';
import { startOrJoin } from './start-or-join.ts';
import { webhookOf } from './webhook-target.ts';

/**
 * POST /api/transcripts: the transcript of a video in a language, or a job for it. A job that runs is joined.
 *
 * @throws ApiError `webhook_target_forbidden`, `insufficient_credit`, `unavailable`
 */
export async function requestTranscript(
  deps: ApiDeps,
  request: TranscriptRequest,
  waitMs: number,
): Promise<Answer<Streamable<TranscriptResult>>> {
  const mediaId = request.vidnet_video_id;
  const parameters: TranscriptParameters = {
    language: request.language,
    includeComments: request.include_comments ?? false,
  };
  const { record } = await startOrJoin(deps, {
    ...{ workflow: 'transcript', type: 'captions', mediaId, parameters },
    subjectId: subjectIdOf(
      'captions',
      mediaId,
      parameters.language,
      ...(parameters.includeComments ? ['comments'] : []),
    ),
    price: transcriptPrice(deps.rendering.prices, parameters),
    ...webhookOf(deps, request),
  });
  return answerTranscript(deps, await currentJob(deps, record, waitMs));
}
