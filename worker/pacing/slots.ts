import type { ActivitySlotInfo, CustomSlotSupplier, WorkerTuner } from '@temporalio/worker';
import type { Budget } from './budget.ts';

/** Lets a worker ask for a task of a route only when it may begin one: thousands that wait are tasks in a queue. */
function pacedSlots(budget: Budget): CustomSlotSupplier<ActivitySlotInfo> {
  const used = new WeakSet<object>();
  return {
    type: 'custom',
    async reserveSlot(_context, signal) {
      await budget.reserve(signal);
      return {};
    },
    // A task that comes with an answer to a workflow task is not one of this queue.
    tryReserveSlot: () => null,
    markSlotUsed({ permit }) {
      used.add(permit);
      budget.markUsed();
    },
    releaseSlot({ permit }) {
      budget.release(used.delete(permit));
    },
  };
}

/** For a worker that runs the activities of one route. */
export function pacedTuner(budget: Budget): WorkerTuner {
  const none = { type: 'fixed-size', numSlots: 1 } as const;
  return {
    activityTaskSlotSupplier: pacedSlots(budget),
    workflowTaskSlotSupplier: { type: 'fixed-size', numSlots: 2 },
    localActivityTaskSlotSupplier: none,
    nexusTaskSlotSupplier: none,
  };
}
