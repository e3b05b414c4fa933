import { z } from 'zod';
import { batchStatuses, forEachState, PAUSES, type PauseReason } from '../../contract/batches/batch-state.ts';
import { failureCodeSchema } from './input-fields.ts';
import { ulidSchema } from '../../contract/ids.ts';
import { storedCountSchema } from '../../contract/job-schema.ts';

/** The inputs of the activities of batches. */

export const batchStatusSchema = z.enum(batchStatuses);
export const batchFailureSchema = z.object({ code: failureCodeSchema, message: z.string() });
export const pauseReasonSchema = z.enum(Object.keys(PAUSES) as [PauseReason, ...PauseReason[]]);

const totalsSchema = z.object({
  counts: z.object(forEachState(storedCountSchema)),
  spent: storedCountSchema,
  open: storedCountSchema,
});

export const batchStepSchema = z.object({
  batchId: ulidSchema,
  position: z.object({
    open: z.array(z.int().min(1)).readonly(),
    next: z.int().min(1),
    ended: totalsSchema,
  }),
  mode: z.enum(['start', 'hold', 'cancel']),
  isThorough: z.boolean(),
});
