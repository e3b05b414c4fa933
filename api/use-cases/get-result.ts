import type { z } from 'zod';
import { renderJobDetails, type JobDetails } from '../../contract/http/job-details.ts';
import { renderResult, type jobResultSchema } from '../../contract/kinds/kinds.ts';
import type { Streamable } from '../../contract/http/streams.ts';
import type { UseCase } from '../operations/operation.ts';
import { answerJob, currentJob } from './current-job.ts';
import { recordById } from './list-downloads.ts';

interface OneDownload {
  readonly download_id: string;
  readonly waitMs: number;
}

/**
 * GET /api/downloads/{downloadId}/result: the result of a job of any kind, as in its webhook. It starts nothing and is free.
 *
 * @throws ApiError `not_found`
 */
export const getResult: UseCase<OneDownload, Streamable<z.infer<typeof jobResultSchema>>> = async (
  deps,
  caller,
  asked,
) => {
  const record = await recordById(deps, caller, asked.download_id);
  return answerJob(deps, await currentJob(deps, record, asked.waitMs), async ({ rendering }, job) =>
    renderResult(job.record, rendering, job.progress),
  );
};

/**
 * GET /api/downloads/{downloadId}/job: facts about a job that are not part of its record.
 *
 * @throws ApiError `not_found`
 */
export const getJob: UseCase<OneDownload, JobDetails> = async (deps, caller, { download_id: id }) => {
  const { record } = await currentJob(deps, await recordById(deps, caller, id), 0);
  return { state: 'finished', body: renderJobDetails(record, deps.workflowUrl(record.subjectId)) };
};
