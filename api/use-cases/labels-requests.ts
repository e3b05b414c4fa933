import {
  audioIdOf,
  speakerLabelsPrice,
  renderAudioRequired,
  renderNoAudio,
  renderSpeakerLabels,
  type SpeakerLabelsRequest,
  type SpeakerLabelsResult,
  type SpeechResult,
} from '../../contract/kinds/speaker-labels.ts';
import { awaitedBy, type AwaitedPart } from '../../contract/kinds/awaited-audio.ts';
import { ApiError } from '../../contract/http/api-error.ts';
import type { DownloadRecord } from '../../contract/download-record.ts';
import type { Streamable } from '../../contract/http/streams.ts';
import { isSilent, mayHaveSound, soundFileOf } from '../../contract/kinds/sound.ts';
import { speakerLabelsSubjectOf } from '../../contract/kinds/subjects.ts';
import { speechParametersOf, type SpeechHints } from '../../contract/speech-hints.ts';
import { unknownLanguage } from '../../contract/text/language-tags.ts';
import type { LimitedCaller } from '../access/access-middleware.ts';
import type { ServiceDeps, SpeechDeps } from '../service-deps.ts';
import { invalidField } from '../http/to-api-error.ts';
import type { Answer, UseCase } from '../operations/operation.ts';
import type { NewJob } from './admission.ts';
import { currentJob, recordOf, type CurrentJob } from './current-job.ts';
import { answerRequest, orderOf, type JobRequest } from './request-job.ts';
import { startOrJoin } from './start-or-join.ts';
import { assertWebhookTargets } from './subscribers.ts';

export type LabelsCase<Input> = UseCase<Input, Streamable<SpeakerLabelsResult>>;

/**
 * POST /api/transcriptspeakerid: the speaker labels of a download with sound, or a job for them. While the sound is being
 * downloaded, the job waits for it.
 */
export const requestSpeakerLabels: LabelsCase<SpeakerLabelsRequest & JobRequest> = async (deps, caller, request) => {
  // A forbidden webhook is refused in any case.
  assertWebhookTargets(deps, request);
  const audio = await labelledAudio(deps, await recordOf(deps, caller, request.transcript_with_speaker_id), 0);
  if (isSilent(audio)) return answerSilent(audio);
  const record = await startLabels(deps, caller, { ...request, ...orderOf(request), audio });
  return answerRequest(deps, { record, waitMs: request.waitMs, render: renderLabels });
};

export type LabelsOrder = Partial<SpeechHints> & Pick<NewJob, 'recordId' | 'isForSpeech' | 'webhookUrl' | 'order'>;

interface LabelledAudio {
  /** Pending, or a success with sound. */
  readonly audio: DownloadRecord;
  /** The source of an audio that the request has started or joined, and its price if it was started. */
  readonly awaits?: Omit<AwaitedPart, 'subjectId'>;
}

/** Starts or joins the labels of an audio that was found, or finds them finished. */
export async function startLabels(
  deps: SpeechDeps,
  caller: LimitedCaller,
  { audio, awaits, language, speakers, recordId, isForSpeech, webhookUrl, order }: LabelsOrder & LabelledAudio,
): Promise<DownloadRecord> {
  const file = soundFileOf(audio);
  const parameters = {
    audioId: audio.id,
    awaits: file === undefined ? { subjectId: audio.subjectId, ...awaits } : undefined,
    ...speechParametersOf({ language, speakers }),
  };
  const subjectId = speakerLabelsSubjectOf(parameters);
  // A finished transcript needs neither the file nor the engine, and a running job has found both.
  const isNeeded = async () => ((await deps.records.latestOf(subjectId))?.status ?? 'failed') === 'failed';
  if (file !== undefined && !(await deps.files.has(audio.id, file)) && (await isNeeded())) {
    throw new ApiError('not_found', 'The audio is not kept any more: download it again, and use the id of that.');
  }
  await refuseUnknownLanguage(deps, language, isNeeded);
  const { record } = await startOrJoin(deps, caller, {
    ...{ type: 'speaker_labels', mediaId: audio.mediaId, subjectId, parameters },
    ...{ recordId, isForSpeech, webhookUrl, order },
    // The length of pending audio is not known, so one minute is reserved until it is.
    price: speakerLabelsPrice(deps.rendering.prices, audio.status === 'success' ? (audio.durationSeconds ?? 0) : 60),
  });
  return record;
}

/** Waits for the download of an audio, at most for the given time. @throws ApiError for a failed one, and for other records */
export async function labelledAudio(
  deps: SpeechDeps,
  record: DownloadRecord | undefined,
  waitMs: number,
): Promise<DownloadRecord> {
  if (record === undefined || !mayHaveSound(record)) {
    throw new ApiError('not_found', 'There is no audio and no transcript with this id.');
  }
  const { record: audio } = await currentJob(deps, record, waitMs);
  if (audio.status !== 'failed') return audio;
  throw new ApiError('audio_failed', `The audio could not be downloaded: ${audio.failure.message}`, { id: audio.id });
}

/** Refuses the request early. The job checks the language too, because its worker may have another engine. */
export async function refuseUnknownLanguage(
  deps: SpeechDeps,
  language: string | undefined,
  isNeeded: () => Promise<boolean>,
): Promise<void> {
  if (language === undefined) return;
  const failure = unknownLanguage(language, await deps.speechLanguages.known());
  if (failure !== undefined && (await isNeeded())) throw invalidField('language', failure.message);
}

export function answerSilent(audio: DownloadRecord): Answer<SpeechResult> {
  return { state: 'finished', body: renderNoAudio(audio) };
}

export async function renderLabels({ rendering, records }: ServiceDeps, { record, progress }: CurrentJob) {
  if (record.status === 'pending' && awaitedBy(record) !== undefined) {
    const audio = await records.get(audioIdOf(record));
    if (audio?.status === 'pending') return renderAudioRequired(audio.id, { isRequested: true });
  }
  return renderSpeakerLabels(record, rendering, progress);
}
