import { resultPageSchema } from '../../contract/http/fields.ts';
import { jobDetailsSchema } from '../../contract/http/job-details.ts';
import { jobResultSchema } from '../../contract/kinds/kinds.ts';
import { resolvedSchema, resolveQuerySchema } from '../../contract/http/resolved-schemas.ts';
import { BY_DOWNLOAD_ID, operation } from './operation.ts';
import { resolveText } from '../use-cases/resolve-url.ts';
import { getJob, getResult } from '../use-cases/downloads.ts';

export const resultOperations = {
  resolve: operation('GET /api/resolve', {
    rpc: 'resolve',
    tool: 'resolve_text',
    summary: 'List the possible meanings of a URL, handle, name or ID, with the available requests and their prices',
    query: resolveQuerySchema,
    answers: { 200: { description: 'The possible meanings', schema: resolvedSchema } },
    run: resolveText,
  }),
  getResult: operation('GET /api/downloads/{downloadId}/result', {
    rpc: 'downloads.result',
    tool: 'get_result',
    summary: 'Get the result of a job of any kind, as in its webhook; free, and starts nothing',
    ...BY_DOWNLOAD_ID,
    query: resultPageSchema,
    wait: 'on request',
    answers: {
      200: { description: 'The result of the job, or why it failed', schema: jobResultSchema },
      202: { description: 'The job has not ended', schema: jobResultSchema },
    },
    run: getResult,
  }),
  getJob: operation('GET /api/downloads/{downloadId}/job', {
    rpc: 'downloads.job',
    tool: 'get_job_details',
    summary: 'Get facts about a job that its record does not contain',
    ...BY_DOWNLOAD_ID,
    answers: {
      200: { description: 'Its failure, files, workflow, and the request that repeats it', schema: jobDetailsSchema },
    },
    run: getJob,
  }),
} as const;
