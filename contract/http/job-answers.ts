import { z } from 'zod';
import { chargeOf } from '../kinds/charges.ts';
import { FAILURE_CODES } from '../failures.ts';
import { moneySchema, progressSchema, timestampSchema, type Progress } from './fields.ts';
import { ulidSchema } from '../ids.ts';
import { LAST_RESPONSE_MS } from '../request-limits.ts';
import { formatMoney } from '../money.ts';
import { recordTypeSchema } from '../download-record.ts';
import type { DownloadRecord, FailedRecord, PendingRecord, RecordType, SuccessRecord } from '../download-record.ts';

const subjectFields = { id: ulidSchema, type: recordTypeSchema };
export const failureCodeField = z.enum(FAILURE_CODES).describe('Stable, for programs');

/** The answer of a running job whose result is not a download record (design, section 3). */
export const pendingResultSchema = z
  .object({
    status: z.literal('pending'),
    message: z.string(),
    download_id: ulidSchema,
    cost: moneySchema.describe('The price of the job, which is charged if it succeeds'),
    download: z.object({ ...subjectFields, status: z.literal('pending') }),
    progress: progressSchema.optional(),
  })
  .meta({ id: 'PendingResult' });
export type PendingResult = z.infer<typeof pendingResultSchema>;

export const FAILED_IS_ADDED = 'The job failed; an addition to the specification';

/** The answer of a failed job whose result is not a download record. The specification does not describe it. */
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

const vidnetFields = { vidnet_video_id: z.string() };

export const vidnetPendingResultSchema = pendingResultSchema
  .extend({ download: pendingResultSchema.shape.download.extend(vidnetFields) })
  .meta({ id: 'VidnetPendingResult' });
export const vidnetFailedResultSchema = failedResultSchema
  .extend({ download: failedResultSchema.shape.download.extend(vidnetFields) })
  .meta({ id: 'VidnetFailedResult', description: FAILED_IS_ADDED });
export type VidnetPendingResult = z.infer<typeof vidnetPendingResultSchema>;
export type VidnetFailedResult = z.infer<typeof vidnetFailedResultSchema>;

/** The failure of the last job of the same subject, if it is not older than 30 minutes (specification, section 7). */
export const lastResponseSchema = z
  .object({
    download_id: ulidSchema,
    status: z.literal('failed'),
    response: z.string().describe('The reason of the failure'),
    created_at: timestampSchema,
  })
  .meta({ id: 'LastResponse' });
export type LastResponse = z.infer<typeof lastResponseSchema>;

/** The part of an answer about a pending job that is not in its record. */
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

/** The fields of the `download` of a success. */
export function successFields<Type extends RecordType>(type: Type) {
  const status = z.literal('success');
  return { id: ulidSchema, type: z.literal(type), cost: moneySchema, status, created_at: timestampSchema };
}

export function renderSuccess<Type>({ id, status, charge, createdAt }: SuccessRecord, type: Type) {
  return { id, type, cost: formatMoney(charge), status, created_at: createdAt };
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

export function withVideoId<Result extends { readonly download: object }>(
  result: Result,
  { mediaId }: DownloadRecord,
): Result & { download: { vidnet_video_id: string } } {
  return { ...result, download: { ...result.download, vidnet_video_id: mediaId } };
}

/** @returns undefined if the subject failed more than 30 minutes ago, or never */
export function renderLastResponse(newestFailure: DownloadRecord | undefined, nowMs: number): LastResponse | undefined {
  if (newestFailure?.status !== 'failed') return undefined;
  return nowMs < Date.parse(newestFailure.finishedAt) + LAST_RESPONSE_MS ? renderFailure(newestFailure) : undefined;
}

export function renderFailure({ id, failure, createdAt }: FailedRecord): LastResponse {
  return { download_id: id, status: 'failed', response: failure.message, created_at: createdAt };
}
