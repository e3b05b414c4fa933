import { jobDetailsSchema } from '../../contract/http/job-details.ts';
import { jobResultSchema } from '../../contract/kinds/kinds.ts';
import { resolvedSchema, resolveQuerySchema } from '../../contract/http/resolved-schemas.ts';
import { operation } from './operation.ts';
import { resolveText } from '../use-cases/resolve-url.ts';
import { getJob, getResult } from '../use-cases/get-result.ts';
import { downloadIdParams, UNKNOWN_DOWNLOAD } from './operation-parameters.ts';

/** What can be had, and what was had, whatever kind it is of: additions to the specification. */
export const resultOperations = {
  resolve: operation({
    method: 'get',
    path: '/api/resolve',
    rpc: 'resolve',
    summary: 'Say what a URL, handle, name or id may mean, and what can be had of it at which price',
    query: resolveQuerySchema,
    answers: { 200: { description: 'What it may mean', schema: resolvedSchema } },
    run: resolveText,
  }),
  getResult: operation({
    method: 'get',
    path: '/api/downloads/{downloadId}/result',
    rpc: 'downloads.result',
    summary: 'Get what a job of any kind has made, as its webhook brings it; starts and costs nothing',
    params: downloadIdParams,
    unknown: UNKNOWN_DOWNLOAD,
    wait: 'when asked',
    answers: {
      200: { description: 'What the job has made, or why it failed', schema: jobResultSchema },
      202: { description: 'The job has not ended', schema: jobResultSchema },
    },
    run: getResult,
  }),
  getJob: operation({
    method: 'get',
    path: '/api/downloads/{downloadId}/job',
    rpc: 'downloads.job',
    summary: 'Get what is known of a job beside its record',
    params: downloadIdParams,
    unknown: UNKNOWN_DOWNLOAD,
    answers: {
      200: { description: 'Its failure, files and workflow, and how to ask again', schema: jobDetailsSchema },
    },
    run: getJob,
  }),
} as const;
