import { z } from 'zod';
import { FAILURE_FAULTS, type FailureCode } from '../../contract/failures.ts';
import { upstreamUses } from '../pacing.ts';
import { epochMsSchema, workflowIdSchema } from './parts.ts';

/** What jobs and limiters tell each other. */

export const failureCodeSchema = z.enum(Object.keys(FAILURE_FAULTS) as [FailureCode, ...FailureCode[]]);

export const permitRequestSchema = z.object({
  turnId: z.string().min(1).max(100),
  workflowId: workflowIdSchema,
  runId: z.string().max(100),
});

/** A host, and not more: it becomes a part of a workflow's ID. */
export const siteSchema = z.string().regex(/^[\w.:[\]-]{1,260}$/);
export const upstreamUseSchema = z.union([z.enum(upstreamUses), z.templateLiteral(['site/', siteSchema])]);

/** Thirty years: times that are made of it are still times. */
const pauseSchema = z.number().min(0).max(1e9);

export const limitsSchema = z.object({
  maxAtOnce: z.int().min(1),
  startsPerMinute: z.number().min(0.001),
  firstPauseSeconds: pauseSchema,
  maxPauseSeconds: pauseSchema,
});

export const noticeSchema = z.discriminatedUnion('state', [
  z.object({ state: z.literal('paused'), code: failureCodeSchema, reason: z.string(), untilMs: epochMsSchema }),
  z.object({ state: z.literal('open') }),
]);
