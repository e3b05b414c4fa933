import { renderAudioRequired, renderSegment, type SpokenWords } from '../../contract/kinds/speaker-labels.ts';
import { speakerNamesPiece, type NamedSpeakers, type NameSpeakersRequest } from '../../contract/kinds/speaker-names.ts';
import type { Caller } from '../../contract/http/account-schemas.ts';
import { ApiError } from '../../contract/http/api-error.ts';
import type { DownloadRecord } from '../../contract/download-record.ts';
import {
  keptLabels,
  labelsOfSpeakers,
  writeSpeakerLabels,
  type ExportedLabels,
  type SpeakerLabelFormat,
} from '../../contract/text/speaker-label-formats.ts';
import { ItemStream, type Streamable } from '../../contract/http/streams.ts';
import { toMilliseconds } from '../../contract/text/times.ts';
import { isSilent } from '../../contract/kinds/sound.ts';
import { labelsOfAudio } from '../../contract/kinds/subjects.ts';
import type { ServiceDeps } from '../service-deps.ts';
import { invalidField } from '../http/to-api-error.ts';
import type { ExportedText, UseCase } from '../operations/operation.ts';
import { yieldingChunks } from '../http/yielding-chunks.ts';
import { answerJob, currentJob, notReady, recordOf } from './current-job.ts';
import { answerSilent, labelledAudio, renderLabels, type LabelsCase } from './labels-requests.ts';
import { finishedTranscript } from './transcripts.ts';

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

async function readLabels(
  deps: ServiceDeps,
  caller: Caller,
  id: string,
): Promise<{ readonly recordId: string; readonly mediaId: string; readonly labels: ExportedLabels }> {
  const found = await findLabels(deps, caller, { id, waitMs: 0 });
  const { mediaId } = found;
  if (found.type !== 'speaker_labels') {
    if (found.status === 'pending') throw notReady('The audio is being downloaded.', found);
    return { recordId: id, mediaId, labels: { segments: EMPTY, speakerTurns: EMPTY } };
  }
  const { id: recordId } = await finishedTranscript(deps, found, 'The audio is being transcribed.');
  return { recordId, mediaId, labels: await keptLabels(deps.contents, recordId) };
}
