import type { SignalDefinition } from '@temporalio/workflow';
import { z } from 'zod';
import type { InputSchemas } from '../runtime/inputs/check.ts';
import { limitsSchema, noticeSchema, permitRequestSchema } from '../runtime/pacing.ts';
import { jobInputs } from '../runtime/inputs/jobs.ts';
import {
  callerSchema,
  countSchema,
  deliverySchema,
  httpUrlSchema,
  removalSchema,
  workflowIdSchema,
} from '../runtime/inputs/parts.ts';
import type * as workflows from './index.ts';
import type { requestPermitSignal, releasePermitSignal } from './limiter/messages.ts';
import { permitEndSchema, permitsSchema } from './limiter/permits.ts';
import type { pauseSignal, subscribeSignal, permitGrantedSignal } from './messages.ts';

const one = <Input extends z.ZodType>(input: Input) => z.tuple([input]);

const { turnId: turnIdSchema } = permitRequestSchema.shape;
const summarySchema = z.object({ seen: countSchema, expired: countSchema, orphans: countSchema });

/** What each workflow takes. */
export const workflowInputs = {
  ...jobInputs,
  deliverWebhook: one(deliverySchema),
  limiter: one(
    z.object({
      limits: limitsSchema,
      state: permitsSchema.exactOptional(),
      maxEvents: z.int().min(1).exactOptional(),
    }),
  ),
  retention: one(
    removalSchema.extend({
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
