import { z } from 'zod';
import { ulidSchema } from '../../contract/ids.ts';
import { FAILURE_CODES } from '../../contract/failures.ts';
import { callerSchema, httpUrlSchema } from '../../contract/job-schema.ts';

/** Parts of what travels through Temporal to workflows and activities. */

export const failureCodeSchema = z.enum(FAILURE_CODES);

/** A delivery: what its workflow takes, and with the number of an attempt its activity. */
export const deliverySchema = z.object({
  /** As `deliveryIdOf` makes it. */
  deliveryId: z.string().regex(/^webhook\/[0-7][0-9A-HJKMNP-TV-Z]{25}\/[1-9]\d{0,5}$/),
  recordId: ulidSchema,
  url: httpUrlSchema,
  /** The callers that asked for it. */
  subscribedBy: z.array(callerSchema).readonly().exactOptional(),
  /** Number of the first attempt of this round; default: 1. Attempts are counted on when a delivery is made again. */
  firstAttempt: z.int().min(1).exactOptional(),
});

const days = z.int().min(1);
/** A name, for the history: who takes the responsibility for a run that no schedule has started, which may remove more than the workers' settings say. */
const confirmedBy = z.string().trim().min(1).max(200).exactOptional();

/** Which files are removed as too old. */
export const removalSchema = z.object({
  /** Files of downloads that ended earlier are removed. */
  retentionDays: days,
  confirmedBy,
});

/** For how many days what is kept beside the files stays; for ever where it is not named. */
export const keepDaysSchema = z.object({
  contents: days.exactOptional(),
  deliveries: days.exactOptional(),
  snapshots: days.exactOptional(),
  failed: days.exactOptional(),
});

/** A page of what is kept beside the files. */
export const keptRemovalSchema = z.object({
  kind: keepDaysSchema.keyof(),
  days,
  after: z.string().max(1000).exactOptional(),
  confirmedBy,
});
