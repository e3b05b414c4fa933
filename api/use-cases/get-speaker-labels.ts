import { ApiError } from '../../contract/errors.ts';
import type { DownloadRecord } from '../../contract/records.ts';
import {
  renderAudioRequired,
  renderNoAudio,
  renderSpeakerLabels,
  type SpeakerLabelsResult,
} from '../../contract/kinds/speaker-labels.ts';
import type { Streamable } from '../../contract/streams.ts';
import { labelsOfAudio } from '../../contract/subjects.ts';
import type { Answer } from '../answer.ts';
import type { ApiDeps } from '../deps.ts';
import { currentJob, stateOf, type CurrentJob } from './answers.ts';
import { labelledAudio, type NothingToLabel } from './labelled-audio.ts';

/** The job that an id leads to, or an audio for which there can be none yet, or ever. */
export type FoundLabels = { readonly kind: 'job'; readonly record: DownloadRecord } | NothingToLabel;

/**
 * GET /api/transcriptspeakerid/{id}: what POST answers, as it is now. Starts nothing, costs nothing.
 *
 * @throws ApiError `not_found`, `audio_failed`
 */
export async function getSpeakerLabels(
  deps: ApiDeps,
  id: string,
  waitMs: number,
): Promise<Answer<Streamable<SpeakerLabelsResult>>> {
  const found = await findLabels(deps, id, waitMs);
  if (found.kind !== 'job') return answerWithoutJob(found);
  return answerSpeakerLabels(deps, await currentJob(deps, found.record, waitMs));
}

/**
 * @param id of a job, or of an audio: that is its newest success, whatever was asked for with it; without one, its newest
 * job
 * @throws ApiError `not_found`, `audio_failed`
 */
export async function findLabels(deps: ApiDeps, id: string, waitMs: number): Promise<FoundLabels> {
  const known = await deps.records.get(id);
  if (known?.type === 'speaker_labels') return { kind: 'job', record: known };
  const found = await labelledAudio(deps, known, waitMs);
  if (found.kind !== 'ready') return found;
  const record = await deps.records.newestBelow(labelsOfAudio(id));
  if (record === undefined) {
    throw new ApiError('not_found', 'The speakers of this audio were not asked for: POST /api/transcriptspeakerid.');
  }
  return { kind: 'job', record };
}

export function answerWithoutJob({ kind, audio }: NothingToLabel): Answer<Streamable<SpeakerLabelsResult>> {
  return kind === 'pending'
    ? { state: 'pending', body: renderAudioRequired(audio) }
    : { state: 'finished', body: renderNoAudio(audio) };
}

export async function answerSpeakerLabels(
  deps: ApiDeps,
  { record, progress }: CurrentJob,
): Promise<Answer<Streamable<SpeakerLabelsResult>>> {
  return { state: stateOf(record), body: await renderSpeakerLabels(record, deps.rendering, progress) };
}
