import { defineQuery, defineSignal } from '@temporalio/workflow';
import type { PermitRequest, RouteLimits } from '../../runtime/pacing.ts';
import type { Pause } from './pauses.ts';
import type { PermitEnd } from './permits.ts';

/** Requests a permit; the answer is the job's `turnGranted` signal. The limits are those of the worker that sends it. */
export const requestPermitSignal =
  defineSignal<[{ readonly asker: PermitRequest; readonly limits: RouteLimits }]>('ask');

/** Releases a permit, or withdraws a request. `again` waits in the place of a permit under which the platform refused. */
export const releasePermitSignal =
  defineSignal<[{ readonly turnId: string; readonly how: PermitEnd; readonly again?: PermitRequest }]>('endTurn');

/** A limiter's state, for operators. */
export interface LimiterView {
  readonly limits: RouteLimits;
  readonly pause?: Pause;
  /** Workflow IDs of those who have a permit. */
  readonly holders: readonly string[];
  readonly waiting: number;
  /** Workflow IDs of those who are next. */
  readonly next: readonly string[];
}
export const limiterQuery = defineQuery<LimiterView>('limiter');
