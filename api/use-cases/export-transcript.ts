import { MissingContentsError } from '../../contract/contents.ts';
import { ApiError } from '../../contract/errors.ts';
import { POLL_INTERVAL_SECONDS } from '../../contract/limits.ts';
import { writtenBy } from '../../contract/transcript-exports.ts';
import { TRANSCRIPT_FORMATS, type TranscriptFormat } from '../../contract/transcript-formats.ts';
import type { TranscriptFacts } from '../../contract/kinds/transcript.ts';
import type { ApiDeps } from '../deps.ts';
import { paced } from '../paced.ts';
import { currentJob } from './answers.ts';
import { transcriptRecord } from './get-transcript.ts';

export interface ExportedText {
  readonly name: string;
  readonly contentType: string;
  /** The text, made as it is read. */
  readonly open: () => AsyncGenerator<string>;
}

/**
 * GET /api/transcripts/{downloadID}.srt, .vtt and .txt: the captions as a file.
 *
 * @throws ApiError `not_found` for an unknown id and a failed job, `not_ready` while the job runs
 */
export async function exportTranscript(deps: ApiDeps, id: string, format: TranscriptFormat): Promise<ExportedText> {
  const { record } = await currentJob(deps, await transcriptRecord(deps, id), 0);
  if (record.status === 'pending') {
    throw new ApiError('not_ready', 'The transcript is being fetched.', {
      id,
      retryAfterSeconds: POLL_INTERVAL_SECONDS,
    });
  }
  if (record.status === 'failed') {
    throw new ApiError('not_found', `There is no transcript: ${record.failure.message}`, { id });
  }
  const facts = await deps.rendering.contents.facts<TranscriptFacts>(id);
  if (facts === undefined) throw new MissingContentsError(id);
  const { contentType, writer } = TRANSCRIPT_FORMATS[format];
  const open = (): AsyncGenerator<string> => paced(writtenBy(writer(), facts.lines.pages()));
  return { name: `${record.mediaId}.${facts.track.language}.${format}`, contentType, open };
}
