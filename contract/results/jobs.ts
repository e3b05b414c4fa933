import { z } from 'zod';
import { FAILURE_FAULTS, type FailureCode } from '../failures.ts';
import { ulidSchema } from '../ids.ts';
import { recordTypeSchema } from '../records.ts';
import { moneySchema, progressSchema, timestampSchema } from './fields.ts';

const subjectFields = {
  id: ulidSchema,
  type: recordTypeSchema,
};

/** The answer while a job runs, of every operation whose result is no download record (design, section 3). */
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

/** The same for a job that failed. */
export const failedResultSchema = z
  .object({
    status: z.literal('failed'),
    message: z.string().describe('A sentence for people'),
    code: z.enum(Object.keys(FAILURE_FAULTS) as [FailureCode, ...FailureCode[]]).describe('Stable, for programs'),
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
  .meta({ id: 'FailedResult' });
export type FailedResult = z.infer<typeof failedResultSchema>;

/** What is asked for, which jobs of the video platform name in each state. */
const vidnetFields = { vidnet_video_id: z.string() };

/** The same two for jobs of the video platform. */
export const vidnetPendingResultSchema = pendingResultSchema
  .extend({ download: pendingResultSchema.shape.download.extend(vidnetFields) })
  .meta({ id: 'VidnetPendingResult' });
export const vidnetFailedResultSchema = failedResultSchema
  .extend({ download: failedResultSchema.shape.download.extend(vidnetFields) })
  .meta({ id: 'VidnetFailedResult' });
export type VidnetPendingResult = z.infer<typeof vidnetPendingResultSchema>;
export type VidnetFailedResult = z.infer<typeof vidnetFailedResultSchema>;
