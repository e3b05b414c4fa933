import type { ActivitySlotInfo, CustomSlotSupplier, WorkerTuner } from '@temporalio/worker';
import type { RouteBreaker } from './breakers.ts';

/**
 * Slots for the activities of a route: a fixed number while its circuit breaker is closed, none while it is open, then one for
 * the trial. Tasks that no worker polls wait in the server at no cost.
 */
export function breakerSlots(breaker: RouteBreaker, maxAtOnce: number): CustomSlotSupplier<ActivitySlotInfo> {
  const reserved = new Set<object>();
  const running = new Set<object>();
  const isFree = (): boolean => {
    if (reserved.size + running.size >= maxAtOnce || breaker.state === 'held') return false;
    return breaker.state === 'closed' || reserved.size === 0;
  };
  return {
    type: 'custom',
    async reserveSlot(_context, signal) {
      // The SDK takes any error but the signal's own reason for a failure.
      while (!isFree()) await breaker.changed(signal).catch(() => signal.throwIfAborted());
      const permit = {};
      reserved.add(permit);
      return permit;
    },
    // Eager tasks, which arrive with the response to a workflow task, belong to another queue.
    tryReserveSlot: () => null,
    markSlotUsed({ permit }) {
      reserved.delete(permit);
      running.add(permit);
      breaker.notify();
    },
    releaseSlot({ permit }) {
      reserved.delete(permit);
      running.delete(permit);
      breaker.notify();
    },
  };
}

export function routeTuner(breaker: RouteBreaker, maxAtOnce: number): WorkerTuner {
  const none = { type: 'fixed-size', numSlots: 1 } as const;
  return {
    activityTaskSlotSupplier: breakerSlots(breaker, maxAtOnce),
    workflowTaskSlotSupplier: { type: 'fixed-size', numSlots: 2 },
    localActivityTaskSlotSupplier: none,
    nexusTaskSlotSupplier: none,
  };
}

export type Shares = ReturnType<typeof createShares>;

/**
 * Divides the slots of a worker: a site may use half of them, and a caller all but one, so that slow files of one do not hold
 * up the others.
 *
 * @returns a function that takes a slot and returns how to release it, or undefined if the share is used up
 */
export function createShares(slots: number) {
  const running = new Set<{ readonly site: string; readonly caller: string }>();
  return (site: string, caller: string): (() => void) | undefined => {
    const ofSite = [...running].filter((task) => task.site === site).length;
    const ofCaller = [...running].filter((task) => task.caller === caller).length;
    if (ofSite >= Math.max(1, Math.floor(slots / 2)) || ofCaller >= Math.max(1, slots - 1)) return undefined;
    const task = { site, caller };
    running.add(task);
    return () => void running.delete(task);
  };
}
