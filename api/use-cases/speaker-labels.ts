import {
  type SpeakerLabels,
  type SpeakerLabelsParameters,
  speakerLabelsPrice,
  renderAudioRequired,
  renderNoAudio,
  renderSpeakerLabels,
  type SpeakerLabelsRequest,
  type SpeakerLabelsResult,
  type SpokenWords,
} from '../../contract/kinds/speaker-labels.ts';
import type { Caller } from '../../contract/http/account-schemas.ts';
import { keptFacts } from '../../contract/kinds/contents.ts';
import { ApiError } from '../../contract/http/api-error.ts';
import type { DownloadRecord, PublishedFile, SuccessRecord } from '../../contract/download-record.ts';
import {
  namesOfSpeakers,
  writeSpeakerLabels,
  type ExportedLabels,
  type SpeakerLabelFormat,
} from '../../contract/text/speaker-label-formats.ts';
import { ItemStream, type Streamable } from '../../contract/http/streams.ts';
import { unknownLanguage } from '../../contract/text/language-tags.ts';
import { toMilliseconds } from '../../contract/text/times.ts';
import { labelsOfAudio, speakerLabelsSubjectOf } from '../../contract/kinds/subjects.ts';
import type { ServiceDeps } from '../service-deps.ts';
import { invalidField } from '../http/to-api-error.ts';
import type { Answer, ExportedText, UseCase } from '../operations/operation.ts';
import { paced } from '../http/yielding-chunks.ts';
import { answerJob, currentJob, notReady, recordOf, type CurrentJob } from './current-job.ts';
import { requesting, webhookOf, type JobPlan, type JobRequest } from './request-job.ts';
import { finishedTranscript } from './transcripts.ts';

/** `pending`: the audio is still being downloaded; `silent`: there is none, as in a post that has only photos. */
interface NothingToLabel {
  readonly kind: 'pending' | 'silent';
  readonly audio: DownloadRecord;
}

/** An audio whose speakers can be told apart. */
interface AudioToLabel {
  readonly kind: 'ready';
  readonly audio: SuccessRecord;
  readonly file: PublishedFile;
}

/** By id of the audio or of the job. */
interface OneTranscript {
  readonly id: string;
  readonly waitMs: number;
}

type LabelsCase<Input> = UseCase<Input, Streamable<SpeakerLabelsResult>>;

/**
 * POST /api/transcriptspeakerid: who says what in an audio that was downloaded, or a job for it. A job that runs is
 * joined. While the audio is being downloaded nothing is started, and the webhook is not kept.
 *
 * @throws ApiError `not_found` for what is no audio download and for an audio whose file is gone, `audio_failed`,
 * `invalid_input` for a language that the speech engine does not know, `webhook_target_forbidden`, `insufficient_credit`,
 * `unavailable`
 */
export const requestSpeakerLabels: LabelsCase<SpeakerLabelsRequest & JobRequest> = async (deps, caller, request) => {
  // Before the audio is waited for.
  const isWebhookAsked = webhookOf(deps, request) !== undefined;
  const begunMs = deps.elapsed();
  const record = await deps.records.get(request.transcript_with_speaker_id);
  const found = await labelledAudio(deps, record, request.waitMs);
  if (found.kind !== 'ready') return answerWithoutJob(found, { isWebhookAsked });
  const waitMs = Math.max(0, request.waitMs - (deps.elapsed() - begunMs));
  return requestLabelsOf(deps, caller, { ...request, ...found, waitMs });
};

const requestLabelsOf = requesting({
  plan: async (
    deps,
    { audio, file, ...request }: SpeakerLabelsRequest & JobRequest & AudioToLabel,
  ): Promise<JobPlan> => {
    const { language, min_speakers: minSpeakers, max_speakers: maxSpeakers } = request;
    const parameters: SpeakerLabelsParameters = {
      audioId: audio.id,
      fileName: file.name,
      ...(language === undefined ? {} : { language }),
      ...(minSpeakers === undefined ? {} : { minSpeakers }),
      ...(maxSpeakers === undefined ? {} : { maxSpeakers }),
    };
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

/**
 * GET /api/transcriptspeakerid/{id}: what POST answers, as it is now. Starts nothing, costs nothing.
 *
 * @throws ApiError `not_found`, `audio_failed`
 */
export const getSpeakerLabels: LabelsCase<OneTranscript> = async (deps, caller, { id, waitMs }) => {
  const found = await findLabels(deps, caller, { id, waitMs });
  if (found.kind !== 'job') return answerWithoutJob(found);
  return answerJob(deps, await currentJob(deps, found.record, waitMs), renderLabels);
};

/**
 * GET /api/transcriptspeakerid/{id}.srt, .vtt, .txt and .rttm: the transcript with speaker labels as a file.
 *
 * @throws ApiError `not_found` for an unknown id and a failed job, `not_ready` while the job or the audio's download runs,
 * `audio_failed`
 */
export async function exportSpeakerLabels(
  deps: ServiceDeps,
  caller: Caller,
  { id, format }: OneTranscript & { readonly format: SpeakerLabelFormat },
): Promise<ExportedText> {
  const { mediaId, labels } = await readLabels(deps, caller, id);
  const { contentType, chunks } = writeSpeakerLabels(labels, format, mediaId);
  return { name: `${mediaId}.speakers.${format}`, contentType, open: () => paced(chunks()) };
}

/**
 * GET /api/transcriptspeakerid/{id}/words: the same as the files are made of.
 *
 * @throws ApiError as {@link exportSpeakerLabels} does
 */
export const getSpokenWords: UseCase<OneTranscript, Streamable<SpokenWords>> = async (deps, caller, { id }) => {
  const { mediaId, labels } = await readLabels(deps, caller, id);
  return { state: 'finished', body: await renderSpokenWords(mediaId, labels) };
};

export async function renderSpokenWords(mediaId: string, labels: ExportedLabels): Promise<Streamable<SpokenWords>> {
  const names = await namesOfSpeakers(labels);
  return {
    status: 'success',
    media_id: mediaId,
    segments: labels.segments.map(({ text, start, duration, speaker, wordStarts }) => ({
      ...{ text, start, duration, speaker },
      word_starts: wordStarts === undefined ? null : [...wordStarts],
    })),
    turns: labels.speakerTurns.map(({ startSeconds, endSeconds, speaker }) => ({
      start: startSeconds,
      duration: toMilliseconds(endSeconds - startSeconds),
      speaker: names.get(speaker) ?? '',
    })),
  };
}

/**
 * The job that an id leads to, or an audio for which there can be none yet, or ever.
 *
 * @param asked.id of a job, or of an audio: that is its newest success, whatever was asked for with it; without one, its newest
 * job
 * @throws ApiError `not_found`, `audio_failed`
 */
async function findLabels(
  deps: ServiceDeps,
  caller: Caller,
  { id, waitMs }: OneTranscript,
): Promise<{ readonly kind: 'job'; readonly record: DownloadRecord } | NothingToLabel> {
  const asked = await recordOf(deps, caller, id);
  if (asked?.type === 'speaker_labels') return { kind: 'job', record: asked };
  const found = await labelledAudio(deps, asked, waitMs);
  if (found.kind !== 'ready') return found;
  const record = await deps.records.newestBelow(labelsOfAudio(id));
  if (record === undefined) {
    throw new ApiError('not_found', 'The speakers of this audio were not asked for: POST /api/transcriptspeakerid.');
  }
  return { kind: 'job', record };
}

const NOTHING = new ItemStream<never>(async function* () {
  // There is no audio.
}, 0);

async function readLabels(
  deps: ServiceDeps,
  caller: Caller,
  id: string,
): Promise<{ readonly mediaId: string; readonly labels: ExportedLabels }> {
  const found = await findLabels(deps, caller, { id, waitMs: 0 });
  switch (found.kind) {
    case 'pending':
      throw notReady('The audio is being downloaded.', found.audio);
    case 'silent':
      return { mediaId: found.audio.mediaId, labels: { segments: NOTHING, speakerTurns: NOTHING } };
    case 'job': {
      const record = await finishedTranscript(deps, found.record, 'The audio is being transcribed.');
      const labels = await keptFacts<SpeakerLabels>(deps.rendering.contents, record.id);
      return { mediaId: record.mediaId, labels };
    }
  }
}

/**
 * The audio that a record is, as it is now, or when its download has ended, if that is within the time.
 *
 * @throws ApiError `not_found` for what is no audio download, `audio_failed`
 */
async function labelledAudio(
  deps: ServiceDeps,
  record: DownloadRecord | undefined,
  waitMs: number,
): Promise<AudioToLabel | NothingToLabel> {
  if (record?.type !== 'audio' && record?.type !== 'imgnet_audio') {
    throw new ApiError('not_found', 'There is no audio and no transcript with this id.');
  }
  const { record: audio } = await currentJob(deps, record, waitMs);
  if (audio.status === 'pending') return { kind: 'pending', audio };
  if (audio.status === 'failed') {
    throw new ApiError('audio_failed', `The audio could not be downloaded: ${audio.failure.message}`, { id: audio.id });
  }
  const file = audio.files.find(({ isSilence }) => isSilence !== true);
  return file === undefined ? { kind: 'silent', audio } : { kind: 'ready', audio, file };
}

/** A transcript that is there needs neither file nor engine any more, and a job that runs has found both. */
async function needsJob(deps: ServiceDeps, subjectId: string): Promise<boolean> {
  const latest = await deps.records.latestOf(subjectId);
  return latest === undefined || latest.status === 'failed';
}

/** Not after the job has waited for its turn. The job looks again: its worker may have another engine. */
async function refuseUnknownLanguage(deps: ServiceDeps, subjectId: string, language: string): Promise<void> {
  const failure = unknownLanguage(language, await deps.speechLanguages.known());
  if (failure !== undefined && (await needsJob(deps, subjectId))) throw invalidField('language', failure.message);
}

function answerWithoutJob(
  { kind, audio }: NothingToLabel,
  asked?: { readonly isWebhookAsked: boolean },
): Answer<SpeakerLabelsResult> {
  return kind === 'pending'
    ? { state: 'pending', body: renderAudioRequired(audio, asked) }
    : { state: 'finished', body: renderNoAudio(audio) };
}

function renderLabels({ rendering }: ServiceDeps, { record, progress }: CurrentJob) {
  return renderSpeakerLabels(record, rendering, progress);
}
