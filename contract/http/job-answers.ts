import { z } from 'zod';
import { chargeOf } from '../kinds/charges.ts';
import { FAILURE_FAULTS, type FailureCode } from '../failures.ts';
import { moneySchema, progressSchema, timestampSchema, type Progress } from './fields.ts';
import { ulidSchema } from '../ids.ts';
import { LAST_RESPONSE_MS } from '../limits.ts';
import { formatMoney } from '../money.ts';
import {
  recordTypeSchema,
  type DownloadRecord,
  type FailedRecord,
  type PendingRecord,
  type SuccessRecord,
} from '../download-record.ts';

/** The answers of pending and failed jobs whose result is not a download record (design, section 3). */

const subjectFields = {
  id: ulidSchema,
  type: recordTypeSchema,
};
export const failureCodeField = z
  .enum(Object.keys(FAILURE_FAULTS) as [FailureCode, ...FailureCode[]])
  .describe('Stable, for programs');

/** The answer while a job runs. */
export const pendingResultSchema = z
  .object({
    status: z.literal('pending'),
    message: z.string(),
    download_id: ulidSchema,
    cost: moneySchema.describe('What the job costs if it succeeds'),
    download: z.object({ ...subjectFields, status: z.literal('pending') }),
    progress: progressSchema.optional(),
  })
  .meta({ id: 'PendingResult' });
export type PendingResult = z.infer<typeof pendingResultSchema>;

/** The specification describes the answers of pending and successful jobs, but not of failed ones. */
export const FAILED_IS_ADDED = 'The job failed; an addition to the specification';

/** The answer of a failed job. */
export const failedResultSchema = z
  .object({
    status: z.literal('failed'),
    message: z.string().describe('A sentence for people'),
    code: failureCodeField,
    download_id: ulidSchema,
    cost: moneySchema.describe('A failed job costs 0.000 unless it was cancelled too late'),
    download: z.object({
      ...subjectFields,
      status: z.literal('failed'),
      cost: moneySchema,
      response: z.string(),
      created_at: timestampSchema,
    }),
  })
  .meta({ id: 'FailedResult', description: FAILED_IS_ADDED });
export type FailedResult = z.infer<typeof failedResultSchema>;

/** The video or channel, which jobs of the video platform name in every state. */
const vidnetFields = { vidnet_video_id: z.string() };

/** The answers of pending and failed jobs of the video platform. */
export const vidnetPendingResultSchema = pendingResultSchema
  .extend({ download: pendingResultSchema.shape.download.extend(vidnetFields) })
  .meta({ id: 'VidnetPendingResult' });
export const vidnetFailedResultSchema = failedResultSchema
  .extend({ download: failedResultSchema.shape.download.extend(vidnetFields) })
  .meta({ id: 'VidnetFailedResult', description: FAILED_IS_ADDED });
export type VidnetPendingResult = z.infer<typeof vidnetPendingResultSchema>;
export type VidnetFailedResult = z.infer<typeof vidnetFailedResultSchema>;

/** How the last job of the same subject ended, if it failed within the last 30 minutes (specification, section 7). */
export const lastResponseSchema = z
  .object({
    download_id: ulidSchema,
    status: z.literal('failed'),
    response: z.string().describe('What went wrong'),
    created_at: timestampSchema,
  })
  .meta({ id: 'LastResponse' });
export type LastResponse = z.infer<typeof lastResponseSchema>;

/** Facts about a running job that are not part of its record. */
export interface JobNews {
  readonly progress?: Progress | undefined;
  readonly lastResponse?: LastResponse | undefined;
}

export function renderPending(record: PendingRecord, message: string, progress: Progress | undefined): PendingResult {
  return {
    status: 'pending',
    message,
    download_id: record.id,
    cost: formatMoney(record.price),
    download: { id: record.id, type: record.type, status: record.status },
    progress,
  };
}

/** The `download` object inside an answer that contains the result. */
export function renderSuccess<Type>({ id, mediaId, status, charge, createdAt }: SuccessRecord, type: Type) {
  return { id, media_id: mediaId, type, cost: formatMoney(charge), status, created_at: createdAt };
}

export function renderFailed(record: FailedRecord): FailedResult {
  const { id, type, status, failure } = record;
  const cost = formatMoney(chargeOf(record));
  return {
    status: 'failed',
    message: failure.message,
    code: failure.code,
    download_id: id,
    cost,
    download: { id, type, status, cost, response: failure.message, created_at: record.createdAt },
  };
}

export function renderVidnetPending(
  record: PendingRecord,
  message: string,
  progress: Progress | undefined,
): VidnetPendingResult {
  return withVideoId(renderPending(record, message, progress), record);
}

export function renderVidnetFailed(record: FailedRecord): VidnetFailedResult {
  return withVideoId(renderFailed(record), record);
}

function withVideoId<Result extends { readonly download: object }>(
  result: Result,
  { mediaId }: DownloadRecord,
): Result & { download: { vidnet_video_id: string } } {
  return { ...result, download: { ...result.download, vidnet_video_id: mediaId } };
}

/**
 * @param newestFailure the record of the subject that failed last
 * @param nowMs since 1970
 * @returns undefined when it failed more than 30 minutes ago, or there is none
 */
export function renderLastResponse(newestFailure: DownloadRecord | undefined, nowMs: number): LastResponse | undefined {
  if (newestFailure?.status !== 'failed') return undefined;
  return nowMs < Date.parse(newestFailure.finishedAt) + LAST_RESPONSE_MS ? renderFailure(newestFailure) : undefined;
}

export function renderFailure({ id, failure, createdAt }: FailedRecord): LastResponse {
  return { download_id: id, status: 'failed', response: failure.message, created_at: createdAt };
}
