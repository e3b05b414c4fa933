import { defineQuery, defineSignal } from '@temporalio/workflow';
import type { Asker, RouteLimits } from '../../runtime/pacing.ts';
import type { Pause } from './pauses.ts';
import type { TurnEnd } from './turns.ts';

/** Asks for a turn; the answer is the asker's `turnGranted` signal. The limits are those of the asking worker. */
export const askSignal = defineSignal<[{ readonly asker: Asker; readonly limits: RouteLimits }]>('ask');

/** Gives a turn back, or withdraws from the queue. `again` waits in the place of a turn that was refused. */
export const endTurnSignal =
  defineSignal<[{ readonly turnId: string; readonly how: TurnEnd; readonly again?: Asker }]>('endTurn');

/** A limiter's state, for operators. */
export interface LimiterView {
  readonly limits: RouteLimits;
  readonly pause?: Pause;
  /** Workflow IDs of those who have a turn. */
  readonly holders: readonly string[];
  readonly waiting: number;
  /** Workflow IDs of those who are next. */
  readonly next: readonly string[];
}
export const limiterQuery = defineQuery<LimiterView>('limiter');
