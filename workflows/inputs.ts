import type { SignalDefinition } from '@temporalio/workflow';
import { z } from 'zod';
import type { InputSchemas } from '../runtime/inputs/check.ts';
import { permitRequestSchema, failureCodeSchema, limitsSchema, noticeSchema } from '../runtime/inputs/pacing.ts';
import { jobInputs } from '../runtime/inputs/jobs.ts';
import { callerSchema, countSchema, epochMsSchema, httpUrlSchema, workflowIdSchema } from '../runtime/inputs/parts.ts';
import { ulidSchema } from '../contract/ids.ts';
import { deliveryIdSchema } from '../runtime/inputs/deliveries.ts';
import { confirmedBySchema, retentionDaysSchema } from '../runtime/inputs/retention.ts';
import type * as workflows from './index.ts';
import type { requestPermitSignal, releasePermitSignal } from './limiter/messages.ts';
import type { pauseSignal, subscribeSignal, permitGrantedSignal } from './messages.ts';

const one = <Input extends z.ZodType>(input: Input) => z.tuple([input]);

const turnIdSchema = permitRequestSchema.shape.turnId;
const waiterSchema = permitRequestSchema.extend({ place: countSchema });
const refusalSchema = z.object({
  code: failureCodeSchema,
  message: z.string(),
  retryAtMs: epochMsSchema.exactOptional(),
});
const permitEndSchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.enum(['answered', 'withdrawn']) }),
  refusalSchema.extend({ kind: z.literal('refused') }),
]);

const permitsSchema = z.object({
  limits: limitsSchema,
  holders: z.array(waiterSchema.extend({ pausesBefore: countSchema, seenMs: epochMsSchema })),
  queue: z.array(waiterSchema.extend({ told: z.int().min(-1) })),
  pause: z
    .object({
      code: failureCodeSchema,
      reason: z.string(),
      sinceMs: epochMsSchema,
      untilMs: epochMsSchema,
      lengthMs: epochMsSchema,
      refusals: countSchema,
      probe: z.object({ turnId: turnIdSchema, sinceMs: epochMsSchema }).optional(),
    })
    .optional(),
  pastPause: z.object({ lengthMs: epochMsSchema, endedMs: epochMsSchema }).exactOptional(),
  pauses: countSchema,
  nextPlace: countSchema,
  dueMs: epochMsSchema,
  news: countSchema,
});

const summarySchema = z.object({ seen: countSchema, expired: countSchema, orphans: countSchema });

/** What each workflow takes. */
export const workflowInputs = {
  ...jobInputs,
  deliverWebhook: one(
    z.object({
      deliveryId: deliveryIdSchema,
      recordId: ulidSchema,
      url: httpUrlSchema,
      subscribedBy: z.array(callerSchema).exactOptional(),
      firstAttempt: z.int().min(1).exactOptional(),
    }),
  ),
  limiter: one(
    z.object({
      limits: limitsSchema,
      state: permitsSchema.exactOptional(),
      maxEvents: z.int().min(1).exactOptional(),
    }),
  ),
  retention: one(
    z.object({
      retentionDays: retentionDaysSchema,
      confirmedBy: confirmedBySchema.exactOptional(),
      progress: z.object({ after: z.string().min(1), summary: summarySchema }).exactOptional(),
      maxEvents: z.int().min(1).exactOptional(),
    }),
  ),
} satisfies InputSchemas<typeof workflows>;

/** The signals that workflows take, by name. */
interface Signals {
  readonly subscribe: typeof subscribeSignal;
  readonly turnGranted: typeof permitGrantedSignal;
  readonly pause: typeof pauseSignal;
  readonly ask: typeof requestPermitSignal;
  readonly endTurn: typeof releasePermitSignal;
}
type SignalFunctions = {
  readonly [Name in keyof Signals]: Signals[Name] extends SignalDefinition<infer Args extends unknown[]>
    ? (...args: Args) => void
    : never;
};

/** What each signal takes. */
export const signalInputs = {
  subscribe: z.tuple([httpUrlSchema, callerSchema.exactOptional()]),
  turnGranted: one(z.object({ turnId: turnIdSchema, limiterId: workflowIdSchema })),
  pause: one(z.object({ turnId: turnIdSchema, notice: noticeSchema })),
  ask: one(z.object({ asker: permitRequestSchema, limits: limitsSchema })),
  endTurn: one(z.object({ turnId: turnIdSchema, how: permitEndSchema, again: permitRequestSchema.exactOptional() })),
} satisfies InputSchemas<SignalFunctions>;
