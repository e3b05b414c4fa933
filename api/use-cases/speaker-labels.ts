import {
  audioIdOf,
  renderAudioRequired,
  renderNoAudio,
  renderSegment,
  renderSpeakerLabels,
  speakerLabelsPrice,
  type SpeakerLabelsRequest,
  type SpeakerLabelsResult,
  type SpeechResult,
  type SpokenWords,
} from '../../contract/kinds/speaker-labels.ts';
import { awaitedBy, type AwaitedPart } from '../../contract/kinds/awaited-audio.ts';
import { speakerNamesPiece, type NamedSpeakers, type NameSpeakersRequest } from '../../contract/kinds/speaker-names.ts';
import type { Caller } from '../../contract/http/account-schemas.ts';
import { ApiError } from '../../contract/http/api-error.ts';
import type { DownloadRecord } from '../../contract/download-record.ts';
import { unknownLanguage } from '../../contract/text/language-tags.ts';
import {
  keptLabels,
  labelsOfSpeakers,
  writeSpeakerLabels,
  type ExportedLabels,
  type SpeakerLabelFormat,
} from '../../contract/text/speaker-label-formats.ts';
import { ItemStream, type Streamable } from '../../contract/http/streams.ts';
import { toMilliseconds } from '../../contract/text/times.ts';
import { isSilent, mayHaveSound, soundFileOf } from '../../contract/kinds/sound.ts';
import { labelsOfAudio, speakerLabelsSubjectOf } from '../../contract/kinds/subjects.ts';
import { speechParametersOf, type SpeechHints } from '../../contract/speech-hints.ts';
import type { LimitedCaller } from '../access/access-middleware.ts';
import type { ServiceDeps, SpeechDeps } from '../service-deps.ts';
import { invalidField } from '../http/to-api-error.ts';
import type { Answer, ExportedText, UseCase } from '../operations/operation.ts';
import { yieldingChunks } from '../http/yielding-chunks.ts';
import type { NewJob } from './admission.ts';
import { answerJob, currentJob, finishedTranscript, notReady, recordOf, type CurrentJob } from './current-job.ts';
import { answerRequest, orderOf, type JobRequest } from './request-job.ts';
import { startOrJoin } from './start-or-join.ts';
import { assertWebhookTargets } from './subscribers.ts';

type LabelsCase<Input> = UseCase<Input, Streamable<SpeakerLabelsResult>>;

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

export type LabelsOrder = Partial<SpeechHints> & Pick<NewJob, 'recordId' | 'endsWithStarter' | 'webhookUrl' | 'order'>;

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
  { audio, awaits, language, speakers, recordId, endsWithStarter, webhookUrl, order }: LabelsOrder & LabelledAudio,
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
    ...{ recordId, endsWithStarter, webhookUrl, order },
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

interface OneTranscript {
  /** The ID of the audio or of the job. */
  readonly id: string;
  readonly waitMs: number;
}

/** GET /api/transcriptspeakerid/{id}: the current state of the speaker labels. It starts nothing and is free. */
export const getSpeakerLabels: LabelsCase<OneTranscript> = async (deps, caller, { id, waitMs }) => {
  const found = await findLabels(deps, caller, { id, waitMs });
  if (found.type === 'speaker_labels') return answerJob(deps, await currentJob(deps, found, waitMs), renderLabels);
  if (found.status !== 'pending') return answerSilent(found);
  const isRequested = (await deps.records.newestBelow(labelsOfAudio(id))) !== undefined;
  return { state: 'pending', body: renderAudioRequired(id, { isRequested }) };
};

/** GET /api/transcriptspeakerid/{id}.srt, .vtt, .txt and .rttm: the transcript with speaker labels as a file. */
export async function exportSpeakerLabels(
  deps: ServiceDeps,
  caller: Caller,
  { id, format }: OneTranscript & { readonly format: SpeakerLabelFormat },
): Promise<ExportedText> {
  const { mediaId, labels } = await readLabels(deps, caller, id);
  const { contentType, chunks } = writeSpeakerLabels(labels, format, mediaId);
  return { name: `${mediaId}.speakers.${format}`, contentType, open: () => yieldingChunks(chunks()) };
}

/** GET /api/transcriptspeakerid/{id}/words: the words and voice segments from which the files are made. */
export const getSpokenWords: UseCase<OneTranscript, Streamable<SpokenWords>> = async (deps, caller, { id }) => {
  const { mediaId, labels } = await readLabels(deps, caller, id);
  return { state: 'finished', body: await renderSpokenWords(mediaId, labels) };
};

/** PUT /api/transcriptspeakerid/{id}/names: replaces the names of the speakers. */
export const nameSpeakers: UseCase<OneTranscript & NameSpeakersRequest, NamedSpeakers> = async (
  deps,
  caller,
  { id, names },
) => {
  const { recordId, labels: transcript } = await readLabels(deps, caller, id);
  const { labels } = await labelsOfSpeakers(transcript);
  const unknown = Object.keys(names).find((label) => !labels.has(label));
  if (unknown !== undefined) {
    const known = labels.size === 0 ? 'no speakers' : [...labels].join(', ');
    throw invalidField(`names.${unknown}`, `The transcript has ${known}.`);
  }
  const piece = speakerNamesPiece(recordId);
  if (Object.keys(names).length === 0) await deps.contents.removePieces(piece, 1);
  else await deps.contents.putPiece(piece, [names]);
  return { state: 'finished', body: { status: 'success', speaker_names: names } };
};

export async function renderSpokenWords(mediaId: string, labels: ExportedLabels): Promise<Streamable<SpokenWords>> {
  const { bySpeaker } = await labelsOfSpeakers(labels);
  return {
    status: 'success',
    media_id: mediaId,
    speaker_names: labels.names,
    segments: labels.segments.map((segment) => ({
      ...renderSegment(segment),
      word_starts: [...segment.wordStarts],
      word_confidences: segment.wordConfidences && [...segment.wordConfidences],
    })),
    turns: labels.speakerTurns.map(({ startSeconds, endSeconds, speaker }) => ({
      start: startSeconds,
      duration: toMilliseconds(endSeconds - startSeconds),
      speaker: bySpeaker.get(speaker) ?? '',
    })),
  };
}

/**
 * Finds the job of an ID. For an audio, this is its newest success with any parameters, or else its newest job.
 * @returns the record of the labels, or that of an audio that is pending or silent
 */
async function findLabels(deps: ServiceDeps, caller: Caller, { id, waitMs }: OneTranscript): Promise<DownloadRecord> {
  const given = await recordOf(deps, caller, id);
  if (given?.type === 'speaker_labels') return given;
  const audio = await labelledAudio(deps, given, waitMs);
  if (audio.status === 'pending' || isSilent(audio)) return audio;
  const record = await deps.records.newestBelow(labelsOfAudio(id));
  if (record === undefined) {
    throw new ApiError('not_found', 'Speaker labels of this audio were not requested: POST /api/transcriptspeakerid.');
  }
  return record;
}

const EMPTY = new ItemStream<never>(async function* () {
  // It has no pages.
}, 0);

async function readLabels(deps: ServiceDeps, caller: Caller, id: string) {
  const found = await findLabels(deps, caller, { id, waitMs: 0 });
  const { mediaId } = found;
  if (found.type !== 'speaker_labels') {
    if (found.status === 'pending') throw notReady('The audio is being downloaded.', found);
    return { recordId: id, mediaId, labels: { segments: EMPTY, speakerTurns: EMPTY } };
  }
  const { id: recordId } = await finishedTranscript(deps, found, 'The audio is being transcribed.');
  return { recordId, mediaId, labels: await keptLabels(deps.contents, recordId) };
}
