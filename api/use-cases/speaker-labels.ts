import {
  speakerLabelsPrice,
  renderAudioRequired,
  renderNoAudio,
  renderSegment,
  renderSpeakerLabels,
  type SpeakerLabelsRequest,
  type SpeakerLabelsResult,
  type SpokenWords,
} from '../../contract/kinds/speaker-labels.ts';
import { speakerNamesPiece, type NamedSpeakers, type NameSpeakersRequest } from '../../contract/kinds/speaker-names.ts';
import type { Caller } from '../../contract/http/account-schemas.ts';
import { ApiError } from '../../contract/http/api-error.ts';
import type { DownloadRecord, PublishedFile, SuccessRecord } from '../../contract/download-record.ts';
import {
  keptLabels,
  labelsOfSpeakers,
  writeSpeakerLabels,
  type ExportedLabels,
  type SpeakerLabelFormat,
} from '../../contract/text/speaker-label-formats.ts';
import { ItemStream, type Streamable } from '../../contract/http/streams.ts';
import { speechParametersOf } from '../../contract/speech-hints.ts';
import { unknownLanguage } from '../../contract/text/language-tags.ts';
import { toMilliseconds } from '../../contract/text/times.ts';
import { mayHaveSound, soundFileOf } from '../../contract/kinds/sound.ts';
import { labelsOfAudio, speakerLabelsSubjectOf } from '../../contract/kinds/subjects.ts';
import type { ServiceDeps } from '../service-deps.ts';
import { invalidField } from '../http/to-api-error.ts';
import type { Answer, ExportedText, UseCase } from '../operations/operation.ts';
import { yieldingChunks } from '../http/yielding-chunks.ts';
import { answerJob, currentJob, notReady, recordOf, type CurrentJob } from './current-job.ts';
import { requesting, webhookOf, type JobPlan, type JobRequest } from './request-job.ts';
import { finishedTranscript } from './transcripts.ts';

/** `pending`: the audio is still being downloaded; `silent`: the media has no audio, such as a post with photos only. */
interface NoAudio {
  readonly kind: 'pending' | 'silent';
  readonly audio: DownloadRecord;
}

interface ReadyAudio {
  readonly kind: 'ready';
  readonly audio: SuccessRecord;
  readonly file: PublishedFile;
}

interface OneTranscript {
  /** The ID of the audio or of the job. */
  readonly id: string;
  readonly waitMs: number;
}

type LabelsCase<Input> = UseCase<Input, Streamable<SpeakerLabelsResult>>;

/**
 * POST /api/transcriptspeakerid: the speaker labels of a downloaded audio, or a job for them. While the audio is being
 * downloaded, no job is started and the webhook is not stored.
 */
export const requestSpeakerLabels: LabelsCase<SpeakerLabelsRequest & JobRequest> = async (deps, caller, request) => {
  // A forbidden webhook is refused before the wait for the audio.
  const hasWebhook = webhookOf(deps, request) !== undefined;
  const startedMs = deps.elapsed();
  const record = await deps.records.get(request.transcript_with_speaker_id);
  const found = await labelledAudio(deps, record, request.waitMs);
  if (found.kind !== 'ready') return answerWithoutJob(found, { isWebhookRequested: hasWebhook });
  const waitMs = Math.max(0, request.waitMs - (deps.elapsed() - startedMs));
  return requestLabelsOf(deps, caller, { ...request, ...found, waitMs });
};

const requestLabelsOf = requesting({
  plan: async (deps, { audio, file, ...request }: SpeakerLabelsRequest & JobRequest & ReadyAudio): Promise<JobPlan> => {
    const { language } = request;
    const parameters = { audioId: audio.id, fileName: file.name, ...speechParametersOf(request) };
    const subjectId = speakerLabelsSubjectOf(parameters);
    if (!(await deps.files.has(audio.id, file)) && (await needsJob(deps, subjectId))) {
      throw new ApiError('not_found', 'The audio is not kept any more: download it again, and use the id of that.');
    }
    if (language !== undefined) await refuseUnknownLanguage(deps, subjectId, language);
    return {
      workflow: 'speakerLabels',
      type: 'speaker_labels',
      mediaId: audio.mediaId,
      subjectId,
      parameters,
      price: speakerLabelsPrice(deps.rendering.prices, audio.durationSeconds ?? 0),
    };
  },
  render: renderLabels,
});

/** GET /api/transcriptspeakerid/{id}: the current state of the speaker labels. It starts nothing and is free. */
export const getSpeakerLabels: LabelsCase<OneTranscript> = async (deps, caller, { id, waitMs }) => {
  const found = await findLabels(deps, caller, { id, waitMs });
  if (found.kind !== 'job') return answerWithoutJob(found);
  return answerJob(deps, await currentJob(deps, found.record, waitMs), renderLabels);
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

/** Finds the job of an ID. For an audio, this is its newest success with any parameters, or else its newest job. */
async function findLabels(
  deps: ServiceDeps,
  caller: Caller,
  { id, waitMs }: OneTranscript,
): Promise<{ readonly kind: 'job'; readonly record: DownloadRecord } | NoAudio> {
  const given = await recordOf(deps, caller, id);
  if (given?.type === 'speaker_labels') return { kind: 'job', record: given };
  const found = await labelledAudio(deps, given, waitMs);
  if (found.kind !== 'ready') return found;
  const record = await deps.records.newestBelow(labelsOfAudio(id));
  if (record === undefined) {
    throw new ApiError('not_found', 'Speaker labels of this audio were not requested: POST /api/transcriptspeakerid.');
  }
  return { kind: 'job', record };
}

const EMPTY = new ItemStream<never>(async function* () {
  // It has no pages.
}, 0);

async function readLabels(
  deps: ServiceDeps,
  caller: Caller,
  id: string,
): Promise<{ readonly recordId: string; readonly mediaId: string; readonly labels: ExportedLabels }> {
  const found = await findLabels(deps, caller, { id, waitMs: 0 });
  switch (found.kind) {
    case 'pending':
      throw notReady('The audio is being downloaded.', found.audio);
    case 'silent':
      return { recordId: id, mediaId: found.audio.mediaId, labels: { segments: EMPTY, speakerTurns: EMPTY } };
    case 'job': {
      const record = await finishedTranscript(deps, found.record, 'The audio is being transcribed.');
      const labels = await keptLabels(deps.contents, record.id);
      return { recordId: record.id, mediaId: record.mediaId, labels };
    }
  }
}

/** Waits for the download of an audio, at most for the given time. */
async function labelledAudio(
  deps: ServiceDeps,
  record: DownloadRecord | undefined,
  waitMs: number,
): Promise<ReadyAudio | NoAudio> {
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
async function needsJob(deps: ServiceDeps, subjectId: string): Promise<boolean> {
  const latest = await deps.records.latestOf(subjectId);
  return latest === undefined || latest.status === 'failed';
}

/** Refuses the request early. The job checks the language too, because its worker may have another engine. */
async function refuseUnknownLanguage(deps: ServiceDeps, subjectId: string, language: string): Promise<void> {
  const failure = unknownLanguage(language, await deps.speechLanguages.known());
  if (failure !== undefined && (await needsJob(deps, subjectId))) throw invalidField('language', failure.message);
}

function answerWithoutJob(
  { kind, audio }: NoAudio,
  options?: { readonly isWebhookRequested: boolean },
): Answer<SpeakerLabelsResult> {
  return kind === 'pending'
    ? { state: 'pending', body: renderAudioRequired(audio, options) }
    : { state: 'finished', body: renderNoAudio(audio) };
}

function renderLabels({ rendering }: ServiceDeps, { record, progress }: CurrentJob) {
  return renderSpeakerLabels(record, rendering, progress);
}
