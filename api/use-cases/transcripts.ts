import {
  type TranscriptFacts,
  renderCaptionsResult,
  type TranscriptRequest,
  type TranscriptResult,
  transcriptPrice,
} from '../../contract/kinds/transcript.ts';
import type { Caller } from '../../contract/http/account-schemas.ts';
import { keptFacts } from '../../contract/kinds/contents.ts';
import { ApiError } from '../../contract/http/api-error.ts';
import type { DownloadRecord, SuccessRecord } from '../../contract/download-record.ts';
import type { Streamable } from '../../contract/http/streams.ts';
import { subjectIdOf } from '../../contract/kinds/subjects.ts';
import { writtenBy } from '../../contract/text/transcript-exports.ts';
import { TRANSCRIPT_FORMATS, type TranscriptFormat } from '../../contract/text/transcript-formats.ts';
import type { ServiceDeps } from '../service-deps.ts';
import type { ExportedText, UseCase } from '../operations/operation.ts';
import { paced } from '../http/yielding-chunks.ts';
import { answerJob, currentJob, notReady, recordOf, type CurrentJob } from './current-job.ts';
import { requesting, type JobPlan, type JobRequest } from './request-job.ts';

interface OneTranscript {
  readonly download_id: string;
  readonly waitMs: number;
}

/** POST /api/transcripts: the transcript of a video in a language. */
export const requestTranscript = requesting({
  plan: ({ rendering }, request: TranscriptRequest & JobRequest): JobPlan => {
    const { vidnet_video_id: mediaId, language, include_comments: includeComments = false } = request;
    return {
      workflow: 'transcript',
      type: 'captions',
      mediaId,
      subjectId: subjectIdOf('captions', mediaId, language, ...(includeComments ? ['comments'] : [])),
      parameters: { language, includeComments },
      price: transcriptPrice(rendering.prices, { includeComments }),
    };
  },
  render: renderTranscript,
});

/**
 * GET /api/transcripts/{downloadId}: what POST /api/transcripts answered, as it is now. Starts nothing, costs nothing.
 *
 * @throws ApiError `not_found`
 */
export const getTranscript: UseCase<OneTranscript, Streamable<TranscriptResult>> = async (deps, caller, asked) =>
  answerJob(
    deps,
    await currentJob(deps, await transcriptRecord(deps, caller, asked.download_id), asked.waitMs),
    renderTranscript,
  );

/**
 * GET /api/transcripts/{downloadId}.srt, .vtt and .txt: the captions as a file.
 *
 * @throws ApiError `not_found` for an unknown id and a failed job, `not_ready` while the job runs
 */
export async function exportTranscript(
  deps: ServiceDeps,
  caller: Caller,
  { download_id: id, format }: OneTranscript & { readonly format: TranscriptFormat },
): Promise<ExportedText> {
  const record = await finishedTranscript(
    deps,
    await transcriptRecord(deps, caller, id),
    'The transcript is being fetched.',
  );
  const { lines, track } = await keptFacts<TranscriptFacts>(deps.rendering.contents, id);
  const { contentType, writer } = TRANSCRIPT_FORMATS[format];
  return {
    name: `${record.mediaId}.${track.language}.${format}`,
    contentType,
    open: () => paced(writtenBy(writer(), lines.pages())),
  };
}

/**
 * The transcript of a job, as it is now.
 *
 * @param pending what is told while it runs
 * @throws ApiError `not_found` for a failed job, `not_ready`
 */
export async function finishedTranscript(
  deps: ServiceDeps,
  found: DownloadRecord,
  pending: string,
): Promise<SuccessRecord> {
  const { record } = await currentJob(deps, found, 0);
  switch (record.status) {
    case 'pending':
      throw notReady(pending, record);
    case 'failed':
      throw new ApiError('not_found', `There is no transcript: ${record.failure.message}`, { id: record.id });
    case 'success':
      return record;
  }
}

function renderTranscript({ rendering }: ServiceDeps, { record, progress }: CurrentJob) {
  return renderCaptionsResult(record, rendering, progress);
}

/** @throws ApiError `not_found` */
async function transcriptRecord(deps: ServiceDeps, caller: Caller, id: string): Promise<DownloadRecord> {
  const record = await recordOf(deps, caller, id);
  if (record?.type !== 'captions') throw new ApiError('not_found', 'There is no transcript with this id.');
  return record;
}
