import { ApiError } from '../../contract/errors.ts';
import type { DownloadRecord } from '../../contract/records.ts';
import { renderCaptionsResult, type TranscriptResult } from '../../contract/kinds/transcript.ts';
import type { Streamable } from '../../contract/streams.ts';
import type { Answer } from '../answer.ts';
import type { ApiDeps } from '../deps.ts';
import { currentJob, stateOf, type CurrentJob } from './answers.ts';

/**
 * GET /api/transcripts/{downloadID}: what POST /api/transcripts answered, as it is now. Starts nothing, costs nothing.
 *
 * @throws ApiError `not_found`
 */
export async function getTranscript(
  deps: ApiDeps,
  id: string,
  waitMs: number,
): Promise<Answer<Streamable<TranscriptResult>>> {
  return answerTranscript(deps, await currentJob(deps, await transcriptRecord(deps, id), waitMs));
}

/** @throws ApiError `not_found` */
export async function transcriptRecord(deps: ApiDeps, id: string): Promise<DownloadRecord> {
  const record = await deps.records.get(id);
  if (record?.type !== 'captions') throw new ApiError('not_found', 'There is no transcript with this id.');
  return record;
}

export async function answerTranscript(
  deps: ApiDeps,
  { record, progress }: CurrentJob,
): Promise<Answer<Streamable<TranscriptResult>>> {
  return { state: stateOf(record), body: await renderCaptionsResult(record, deps.rendering, progress) };
}
