import type { JobInput } from '../../contract/job-input.ts';
import { writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { SpeakerLabelsJob, SpeakerLabelsParameters, SpeakerLabels } from '../../contract/kinds/speaker-labels.ts';
import type { DownloadRecord } from '../../contract/download-record.ts';
import { speakerLabelsSubjectOf } from '../../contract/kinds/subjects.ts';
import { anAudioJob, keepJob, newJob } from './jobs.ts';
import type { Facades } from './rest-app.ts';

/** A downloaded audio in the store: 61 s, with its file. `silence first`: behind that of a video without sound; `silence`: only that. */
export async function keepAudio(
  { deps }: Facades,
  overrides: Partial<JobInput> = {},
  order?: 'silence first' | 'silence',
): Promise<DownloadRecord> {
  const job = anAudioJob(overrides);
  const source = join(tmpdir(), `audio-${job.recordId}`);
  await writeFile(source, 'audio');
  const key = { recordId: job.recordId, name: `${job.mediaId}.m4a` };
  const file = await deps.files.publish(source, key, new AbortController().signal);
  const silence = { ...file, name: `${job.mediaId}-1.m4a`, isSilence: true as const };
  const files = order === undefined ? [file] : order === 'silence' ? [silence] : [silence, file];
  return keepJob(deps.records, job, { status: 'success', result: { durationSeconds: 61, files } });
}

/** A job for the speaker labels of an audio, as the API hands it to its workflow. */
export function aLabelsJob(audio: DownloadRecord, more: Partial<SpeakerLabelsParameters> = {}): SpeakerLabelsJob {
  const parameters = { audioId: audio.id, ...more };
  const subjectId = speakerLabelsSubjectOf(parameters);
  return { ...newJob(), type: 'speaker_labels', mediaId: audio.mediaId, subjectId, price: 12, parameters };
}

export const LABELS: SpeakerLabels = {
  engine: 'sherpa',
  language: 'en',
  durationSeconds: 61.2,
  segments: [
    { text: 'Shall we <begin>?', start: 0.5, duration: 1.25, speaker: 'Speaker 1', wordStarts: [0.5, 0.75, 1.1] },
    { text: 'Yes.', start: 2, duration: 0.5, speaker: 'Speaker 2', wordStarts: [2] },
  ],
  speakerTurns: [
    { startSeconds: 0.5, endSeconds: 1.75, speaker: 0 },
    { startSeconds: 2, endSeconds: 2.5, speaker: 1 },
  ],
};
export const SILENCE: SpeakerLabels = { engine: 'sherpa', durationSeconds: 61.2, segments: [], speakerTurns: [] };

/** A finished job with what it found. */
export async function keepLabels(
  { deps, contents }: Facades,
  job: SpeakerLabelsJob,
  labels = LABELS,
): Promise<DownloadRecord> {
  await contents.putFacts(job.recordId, labels);
  const charge = labels.segments.length === 0 ? { charge: 0 } : {};
  return keepJob(deps.records, job, { status: 'success', result: { durationSeconds: 61.2, ...charge } });
}
