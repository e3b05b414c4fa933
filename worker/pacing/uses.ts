import type { NotNowDetails } from '../../runtime/pacing.ts';
import type { Pause, Refusal, RouteState } from '../../runtime/pauses.ts';

/** How a use of a route ended. `answered`: the platform served us or refused the subject; `withdrawn`: nothing was learned of it. */
export type UseEnd =
  { readonly kind: 'answered' | 'withdrawn' } | { readonly kind: 'refused'; readonly refusal: Refusal };

/** A use of a route that has begun. */
export interface Use {
  /** Resolves when the other workers can see what was learned, as far as that is soon. */
  readonly end: (how: UseEnd) => Promise<void>;
}

/** Why nothing may begin just now. */
export interface NotNow extends NotNowDetails {
  readonly reason: string;
}

export function pausedBy({ reason, untilMs, code }: Pause): NotNow {
  return { reason, atMs: untilMs, code };
}

/** What a worker's part of a route hangs on. */
export interface BudgetOwner {
  readonly id: string;
  /** Whether the worker's places are still its own. */
  readonly isLeased: () => boolean;
  /** Changes what all workers share of the route. */
  readonly change: (change: (route: RouteState) => RouteState) => Promise<void>;
}
