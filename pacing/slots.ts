import type { ActivitySlotInfo, CustomSlotSupplier, WorkerTuner } from '@temporalio/worker';
import type { RouteBreaker } from './breakers.ts';

/**
 * Slots for the activities of a route: a fixed number while its circuit breaker is closed, none while it is open, and one poll
 * for a trial after that. Tasks that no worker polls for wait in the server, at no cost.
 */
export function breakerSlots(breaker: RouteBreaker, maxAtOnce: number): CustomSlotSupplier<ActivitySlotInfo> {
  const used = new WeakSet<object>();
  let reserved = 0;
  let running = 0;
  const isFree = (): boolean => {
    if (reserved + running >= maxAtOnce || breaker.state === 'held') return false;
    return breaker.state === 'closed' || reserved === 0;
  };
  return {
    type: 'custom',
    async reserveSlot(_context, signal) {
      while (!isFree()) {
        // The SDK takes anything but the signal's own reason for an error.
        await breaker.changed(signal).catch(() => signal.throwIfAborted());
      }
      reserved += 1;
      return {};
    },
    // Tasks that come with the answer to a workflow task are not of this queue.
    tryReserveSlot: () => null,
    markSlotUsed({ permit }) {
      used.add(permit);
      reserved -= 1;
      running += 1;
      breaker.notify();
    },
    releaseSlot({ permit }) {
      if (used.delete(permit)) running -= 1;
      else reserved -= 1;
      breaker.notify();
    },
  };
}

/** For a worker that runs the activities of one route. */
export function routeTuner(breaker: RouteBreaker, maxAtOnce: number): WorkerTuner {
  const none = { type: 'fixed-size', numSlots: 1 } as const;
  return {
    activityTaskSlotSupplier: breakerSlots(breaker, maxAtOnce),
    workflowTaskSlotSupplier: { type: 'fixed-size', numSlots: 2 },
    localActivityTaskSlotSupplier: none,
    nexusTaskSlotSupplier: none,
  };
}
