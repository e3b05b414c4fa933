import { z } from 'zod';
import { ulidSchema } from '../../contract/ids.ts';
import { FAILURE_CODES } from '../../contract/failures.ts';
import { callerSchema, httpUrlSchema } from '../../contract/job-schema.ts';

/** Parts of the inputs of workflows and activities. */

export const failureCodeSchema = z.enum(FAILURE_CODES);

/** The input of the delivery workflow, which its activity extends by the number of the attempt. */
export const deliverySchema = z.object({
  deliveryId: z.string().regex(/^webhook\/[0-7][0-9A-HJKMNP-TV-Z]{25}\/[1-9]\d{0,5}$/),
  recordId: ulidSchema,
  url: httpUrlSchema,
  /** The callers that added the URL. */
  subscribedBy: z.array(callerSchema).readonly().exactOptional(),
  /** The number of the first attempt of this round; default: 1. Redeliveries continue the count. */
  firstAttempt: z.int().min(1).exactOptional(),
});

const days = z.int().min(1);
/** The operator who confirms a run without a schedule, which may remove more than the settings of the workers say. */
const confirmedBy = z.string().trim().min(1).max(200).exactOptional();

export const removalSchema = z.object({
  /** Files of downloads that ended earlier than this are removed. */
  retentionDays: days,
  confirmedBy,
});

/** How many days stored documents are kept. A kind without a number is kept forever. */
export const keepDaysSchema = z.object({
  contents: days.exactOptional(),
  deliveries: days.exactOptional(),
  snapshots: days.exactOptional(),
  failed: days.exactOptional(),
  batches: days.exactOptional(),
});

export const keptRemovalSchema = z.object({
  kind: keepDaysSchema.keyof(),
  days,
  after: z.string().max(1000).exactOptional(),
  confirmedBy,
});
