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
import { writtenBy } from '../../contract/text/transcript-formats.ts';
import { TRANSCRIPT_FORMATS, type TranscriptFormat } from '../../contract/text/transcript-formats.ts';
import type { PlanDeps, ServiceDeps } from '../service-deps.ts';
import type { ExportedText, UseCase } from '../operations/operation.ts';
import { yieldingChunks } from '../http/yielding-chunks.ts';
import { answerJob, currentJob, notReady, recordOf, type CurrentJob, type OneDownload } from './current-job.ts';
import { requesting, type JobPlan, type JobRequest } from './request-job.ts';

export const requestTranscript = requesting({
  plan: (deps, request: TranscriptRequest & JobRequest) => planTranscript(deps, request),
  render: renderTranscript,
});

export function planTranscript({ rendering }: PlanDeps, request: Omit<TranscriptRequest, 'include_webhook'>): JobPlan {
  const { vidnet_video_id: mediaId, language, include_comments: includeComments = false } = request;
  return {
    workflow: 'transcript',
    type: 'captions',
    mediaId,
    subjectId: subjectIdOf('captions', mediaId, language, ...(includeComments ? ['comments'] : [])),
    parameters: { language, includeComments },
    price: transcriptPrice(rendering.prices, { includeComments }),
  };
}

/** GET /api/transcripts/{downloadId}: the current state of a transcript. It starts nothing and is free. */
export const getTranscript: UseCase<OneDownload, Streamable<TranscriptResult>> = async (
  deps,
  caller,
  { download_id: id, waitMs },
) => answerJob(deps, await currentJob(deps, await transcriptRecord(deps, caller, id), waitMs), renderTranscript);

/** GET /api/transcripts/{downloadId}.srt, .vtt and .txt: the captions as a file. */
export async function exportTranscript(
  deps: ServiceDeps,
  caller: Caller,
  { download_id: id, format }: OneDownload & { readonly format: TranscriptFormat },
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
    open: () => yieldingChunks(writtenBy(writer(), lines.pages())),
  };
}

/** @param pending the message of the error while the job runs @returns the record of a finished transcript */
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

async function transcriptRecord(deps: ServiceDeps, caller: Caller, id: string): Promise<DownloadRecord> {
  const record = await recordOf(deps, caller, id);
  if (record?.type !== 'captions') throw new ApiError('not_found', 'There is no transcript with this id.');
  return record;
}
