import { MissingContentsError } from '../../contract/contents.ts';
import { ApiError } from '../../contract/errors.ts';
import { POLL_INTERVAL_SECONDS } from '../../contract/limits.ts';
import type { DownloadRecord } from '../../contract/records.ts';
import {
  writeSpeakerLabels,
  type ExportedLabels,
  type SpeakerLabelFormat,
} from '../../contract/speaker-label-formats.ts';
import { ItemStream } from '../../contract/streams.ts';
import type { SpeakerLabels } from '../../contract/kinds/speaker-labels.ts';
import type { ApiDeps } from '../deps.ts';
import { paced } from '../paced.ts';
import { currentJob } from './answers.ts';
import type { ExportedText } from './export-transcript.ts';
import { findLabels, type FoundLabels } from './get-speaker-labels.ts';

/**
 * GET /api/transcriptspeakerid/{id}.srt, .vtt, .txt and .rttm: the transcript with speaker labels as a file.
 *
 * @throws ApiError `not_found` for an unknown id and a failed job, `not_ready` while the job or the audio's download runs,
 * `audio_failed`
 */
export async function exportSpeakerLabels(
  deps: ApiDeps,
  id: string,
  format: SpeakerLabelFormat,
): Promise<ExportedText> {
  const { mediaId, labels } = await readLabels(deps, await findLabels(deps, id, 0));
  const { contentType, chunks } = writeSpeakerLabels(labels, format, mediaId);
  return { name: `${mediaId}.speakers.${format}`, contentType, open: () => paced(chunks()) };
}

const NOTHING = new ItemStream<never>(async function* () {
  // There is no audio.
}, 0);

async function readLabels(
  deps: ApiDeps,
  found: FoundLabels,
): Promise<{ readonly mediaId: string; readonly labels: ExportedLabels }> {
  if (found.kind !== 'job') {
    if (found.kind === 'pending') throw notReady('The audio is being downloaded.', found.audio);
    return { mediaId: found.audio.mediaId, labels: { segments: NOTHING, turns: NOTHING } };
  }
  const { record } = await currentJob(deps, found.record, 0);
  const { id, mediaId } = record;
  if (record.status === 'pending') throw notReady('The audio is being transcribed.', record);
  if (record.status === 'failed') {
    throw new ApiError('not_found', `There is no transcript: ${record.failure.message}`, { id });
  }
  const labels = await deps.rendering.contents.facts<SpeakerLabels>(id);
  if (labels === undefined) throw new MissingContentsError(id);
  return { mediaId, labels };
}

function notReady(message: string, { id }: DownloadRecord): ApiError {
  return new ApiError('not_ready', message, { id, retryAfterSeconds: POLL_INTERVAL_SECONDS });
}
