import { ApiError } from '../../contract/errors.ts';
import {
  type SpeakerLabelsParameters,
  speakerLabelsPrice,
  type SpeakerLabelsRequest,
  type SpeakerLabelsResult,
} from '../../contract/kinds/speaker-labels.ts';
import { optional } from '../../runtime/optional.ts';
import type { Streamable } from '../../contract/streams.ts';
import { speakerLabelsSubjectOf } from '../../contract/subjects.ts';
import type { Answer } from '../answer.ts';
import type { ApiDeps } from '../deps.ts';
import { currentJob } from './answers.ts';
import { answerWithoutJob, answerSpeakerLabels } from './get-speaker-labels.ts';
import { labelledAudio, type AudioToLabel } from './labelled-audio.ts';
import { startOrJoin } from './start-or-join.ts';
import { webhookOf } from './webhook-target.ts';

/**
 * POST /api/transcriptspeakerid: who says what in an audio that was downloaded, or a job for it. A job that runs is
 * joined. While the audio is being downloaded nothing is started, and the webhook is not kept.
 *
 * @throws ApiError `not_found` for what is no audio download and for an audio whose file is gone, `audio_failed`,
 * `webhook_target_forbidden`, `insufficient_credit`, `unavailable`
 */
export async function requestSpeakerLabels(
  deps: ApiDeps,
  request: SpeakerLabelsRequest,
  waitMs: number,
): Promise<Answer<Streamable<SpeakerLabelsResult>>> {
  const webhook = webhookOf(deps, request);
  const begunMs = deps.now();
  const found = await labelledAudio(deps, await deps.records.get(request.transcript_with_speaker_id), waitMs);
  if (found.kind !== 'ready') return answerWithoutJob(found);

  const { audio, file } = found;
  const parameters: SpeakerLabelsParameters = {
    ...{ audioId: audio.id, fileName: file.name },
    ...optional('language', request.language),
    ...optional('minSpeakers', request.min_speakers),
    ...optional('maxSpeakers', request.max_speakers),
  };
  const subjectId = speakerLabelsSubjectOf(parameters);
  await refuseLostFile(deps, found, subjectId);
  const { record } = await startOrJoin(deps, {
    ...{ workflow: 'speakerLabels', type: 'speaker_labels', mediaId: audio.mediaId, subjectId, parameters },
    price: speakerLabelsPrice(deps.rendering.prices, audio.durationSeconds ?? 0),
    ...webhook,
  });
  const remainingMs = Math.max(0, waitMs - (deps.now() - begunMs));
  return answerSpeakerLabels(deps, await currentJob(deps, record, remainingMs));
}

/** A transcript that is there needs no file any more, and a job that runs has read it. */
async function refuseLostFile(deps: ApiDeps, { audio, file }: AudioToLabel, subjectId: string): Promise<void> {
  if (await deps.files.has(audio.id, file)) return;
  const latest = await deps.records.latestOf(subjectId);
  if (latest === undefined || latest.status === 'failed') {
    throw new ApiError('not_found', 'The audio is not kept any more: download it again, and use the id of that.');
  }
}
