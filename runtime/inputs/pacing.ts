import { z } from 'zod';
import { FAILURE_FAULTS, type FailureCode } from '../../contract/failures.ts';
import { SITE, upstreamUses } from '../pacing.ts';
import { workflowIdSchema } from './parts.ts';

export const failureCodeSchema = z.enum(Object.keys(FAILURE_FAULTS) as [FailureCode, ...FailureCode[]]);

export const siteSchema = z.string().regex(SITE);
export const upstreamUseSchema = z.union([z.enum(upstreamUses), z.templateLiteral(['site/', siteSchema])]);

/** Of jobs of version 4da8403. */
export const permitRequestSchema = z.object({
  turnId: z.string().min(1).max(100),
  workflowId: workflowIdSchema,
  runId: z.string().max(100),
});
