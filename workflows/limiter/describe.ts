import type { Waiting } from '../../runtime/pacing.ts';
import type { LimiterView } from './messages.ts';
import type { Pause } from './pauses.ts';
import type { PermitsState } from './permits.ts';

const SHOWN = 20;

export function viewOf({ limits, pause, holders, queue }: PermitsState): LimiterView {
  return {
    limits,
    ...(pause === undefined ? {} : { pause }),
    holders: holders.map(({ workflowId }) => workflowId),
    waiting: queue.length,
    next: queue.slice(0, SHOWN).map(({ workflowId }) => workflowId),
  };
}

/** The limiter's memo field `paused`, in the words of its jobs. */
export function pausedMemoOf(pause: Pause | undefined): Waiting | null {
  return pause === undefined ? null : { reason: pause.reason, until: new Date(pause.untilMs).toISOString() };
}

/** A few lines for the Web UI. */
export function detailsOf({ limits, pause, holders, queue }: PermitsState): string {
  const counts = `${holders.length} of ${limits.maxAtOnce} turns taken, ${queue.length} waiting.`;
  if (pause === undefined) return counts;
  const until = new Date(pause.untilMs).toISOString();
  const what = pause.probe === undefined ? `Paused until ${until}` : 'One probe is on its way';
  return `${what}, after ${pause.refusals} refusals: ${pause.reason}\n\n${counts}`;
}
