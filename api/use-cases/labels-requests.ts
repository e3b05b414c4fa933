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
import type { DownloadRecord, PublishedFile, SuccessRecord } from '../../contract/download-record.ts';
import type { Streamable } from '../../contract/http/streams.ts';
import { mayHaveSound, soundFileOf } from '../../contract/kinds/sound.ts';
import { speakerLabelsSubjectOf } from '../../contract/kinds/subjects.ts';
import { speechParametersOf, type SpeechHints } from '../../contract/speech-hints.ts';
import { unknownLanguage } from '../../contract/text/language-tags.ts';
import { optional } from '../../runtime/optional.ts';
import type { LimitedCaller } from '../access/access-middleware.ts';
import type { ServiceDeps, SpeechDeps } from '../service-deps.ts';
import { invalidField } from '../http/to-api-error.ts';
import type { Answer, UseCase } from '../operations/operation.ts';
import type { NewJob } from './admission.ts';
import { currentJob, recordOf, type CurrentJob } from './current-job.ts';
import { answerRequest, orderOf, type JobRequest } from './request-job.ts';
import { startOrJoin } from './start-or-join.ts';
import { assertWebhookTargets } from './subscribers.ts';

interface ReadyAudio {
  readonly kind: 'ready';
  readonly audio: SuccessRecord;
  readonly file: PublishedFile;
}

export interface PendingAudio {
  readonly kind: 'pending';
  readonly audio: DownloadRecord;
  /** The price of the audio, if this request started its job. */
  readonly startedFor?: number;
  readonly source?: { readonly url: string } | { readonly vidnet_video_id: string };
}

/** The media has no sound, such as a post with photos only. */
export interface SilentAudio {
  readonly kind: 'silent';
  readonly audio: DownloadRecord;
}

type RequestedAudio = ReadyAudio | PendingAudio;
export type FoundAudio = RequestedAudio | SilentAudio;

export type LabelsCase<Input> = UseCase<Input, Streamable<SpeakerLabelsResult>>;

/**
 * POST /api/transcriptspeakerid: the speaker labels of a download with sound, or a job for them. While the sound is being
 * downloaded, the job waits for it.
 */
export const requestSpeakerLabels: LabelsCase<SpeakerLabelsRequest & JobRequest> = async (deps, caller, request) => {
  // A forbidden webhook is refused in any case.
  assertWebhookTargets(deps, request);
  const found = await labelledAudio(deps, await recordOf(deps, caller, request.transcript_with_speaker_id), 0);
  if (found.kind === 'silent') return answerSilent(found);
  const record = await startLabels(deps, caller, { ...request, ...orderOf(request), found });
  return answerRequest(deps, { record, waitMs: request.waitMs, render: renderLabels });
};

export type LabelsOrder = SpeechHints & Pick<NewJob, 'recordId' | 'isForSpeech' | 'webhookUrl' | 'order'>;

/** Starts or joins the labels of an audio that was found, or finds them finished. */
export async function startLabels(
  deps: SpeechDeps,
  caller: LimitedCaller,
  order: LabelsOrder & { readonly found: RequestedAudio },
): Promise<DownloadRecord> {
  const { found, language, webhookUrl } = order;
  const { audio } = found;
  const audioPart = found.kind === 'ready' ? { fileName: found.file.name } : { awaits: awaitedPartOf(found) };
  const parameters = { audioId: audio.id, ...audioPart, ...speechParametersOf(order) };
  const subjectId = speakerLabelsSubjectOf(parameters);
  const isKept = found.kind === 'pending' || (await deps.files.has(audio.id, found.file));
  if (!isKept && (await needsJob(deps, subjectId))) {
    throw new ApiError('not_found', 'The audio is not kept any more: download it again, and use the id of that.');
  }
  if (language !== undefined) await refuseUnknownLanguage(deps, language, () => needsJob(deps, subjectId));
  const { record } = await startOrJoin(deps, caller, {
    workflow: 'speakerLabels',
    type: 'speaker_labels',
    mediaId: audio.mediaId,
    subjectId,
    parameters,
    price: labelsPriceOf(deps, found),
    webhookUrl,
    ...optional('recordId', order.recordId),
    ...optional('isForSpeech', order.isForSpeech),
    ...optional('order', order.order),
  });
  return record;
}

function awaitedPartOf({ audio, startedFor, source }: PendingAudio): AwaitedPart {
  return { subjectId: audio.subjectId, ...optional('price', startedFor), ...optional('source', source) };
}

/** The length of pending audio is not known, so one minute is reserved until it is. */
function labelsPriceOf({ rendering: { prices } }: SpeechDeps, found: RequestedAudio): number {
  return speakerLabelsPrice(prices, found.kind === 'ready' ? (found.audio.durationSeconds ?? 0) : 60);
}

/** Waits for the download of an audio, at most for the given time. */
export async function labelledAudio(
  deps: SpeechDeps,
  record: DownloadRecord | undefined,
  waitMs: number,
): Promise<FoundAudio> {
  if (record === undefined || !mayHaveSound(record)) {
    throw new ApiError('not_found', 'There is no audio and no transcript with this id.');
  }
  const { record: audio } = await currentJob(deps, record, waitMs);
  if (audio.status === 'pending') return { kind: 'pending', audio };
  if (audio.status === 'failed') {
    throw new ApiError('audio_failed', `The audio could not be downloaded: ${audio.failure.message}`, { id: audio.id });
  }
  const file = soundFileOf(audio);
  return file === undefined ? { kind: 'silent', audio } : { kind: 'ready', audio, file };
}

/** A finished transcript needs neither the file nor the engine, and a running job has found both. */
async function needsJob(deps: SpeechDeps, subjectId: string): Promise<boolean> {
  const latest = await deps.records.latestOf(subjectId);
  return latest === undefined || latest.status === 'failed';
}

/** Refuses the request early. The job checks the language too, because its worker may have another engine. */
export async function refuseUnknownLanguage(
  deps: SpeechDeps,
  language: string,
  isNeeded: () => Promise<boolean>,
): Promise<void> {
  const failure = unknownLanguage(language, await deps.speechLanguages.known());
  if (failure !== undefined && (await isNeeded())) throw invalidField('language', failure.message);
}

export function answerSilent({ audio }: SilentAudio): Answer<SpeechResult> {
  return { state: 'finished', body: renderNoAudio(audio) };
}

export async function renderLabels({ rendering, records }: ServiceDeps, { record, progress }: CurrentJob) {
  if (record.status === 'pending' && awaitedBy(record) !== undefined) {
    const audio = await records.get(audioIdOf(record));
    if (audio?.status === 'pending') return renderAudioRequired(audio.id, { isRequested: true });
  }
  return renderSpeakerLabels(record, rendering, progress);
}
