import type { BatchItemRequest } from '../../contract/batches/batch-item.ts';
import type { Routes } from '../../pacing/routes.ts';
import { taskQueues } from '../../runtime/temporal/task-queues.ts';

export type BatchOperation = BatchItemRequest['operation'];

/** Takes a slot for a job. @returns false when all slots of its queue are taken */
export type TakeSlot = (operation: BatchOperation) => Promise<boolean>;

export interface BatchSlotsDeps {
  readonly routes: Routes;
  /** The number of other sites' activities that one worker runs at once. */
  readonly maxFetches: number;
  readonly taskQueue: string;
  /** @returns the number of workers that poll a queue for activities */
  readonly countPollers: (queue: string) => Promise<number>;
}

/** The use of an upstream that takes most of the time of an operation's jobs. */
const USES = {
  requestAudio: 'vidnet-page',
  requestVideo: 'vidnet-page',
  requestTranscript: 'vidnet-page',
  requestChannel: 'vidnet-listing',
  requestImgnetProfile: 'imgnet-dataset',
  requestImgnetContent: 'imgnet-dataset',
  requestImgnetAudio: 'imgnet-media',
  requestMedia: 'site',
} as const satisfies Record<BatchOperation, keyof Routes>;

/** Workers start and stop rarely. */
const COUNTED_FOR_MS = 30_000;

export type BatchSlots = ReturnType<typeof createBatchSlots>;

/**
 * Limits the open jobs of a batch to the number that the workers run at once. More of them would only wait, and would keep all
 * slots taken, so that a single request would wait for one, too.
 */
export function createBatchSlots({ routes, maxFetches, taskQueue, countPollers }: BatchSlotsDeps) {
  const slotsFor = (operation: BatchOperation) => {
    const use = USES[operation];
    if (use === 'site') return { queue: taskQueues.sites(taskQueue), perWorker: maxFetches };
    return { queue: taskQueues.route(taskQueue, routes[use].route), perWorker: routes[use].maxAtOnce };
  };
  const counted = new Map<string, { readonly workers: number; readonly untilMs: number }>();
  const workersOf = async (queue: string): Promise<number> => {
    const known = counted.get(queue);
    if (known !== undefined && known.untilMs > performance.now()) return known.workers;
    // While its circuit breaker is open, no worker polls a route.
    const workers = Math.max(1, await countPollers(queue));
    counted.set(queue, { workers, untilMs: performance.now() + COUNTED_FOR_MS });
    return workers;
  };
  return {
    /** @param running the operations of the jobs that are open already */
    besides(running: readonly BatchOperation[]): TakeSlot {
      const free = new Map<string, number>();
      return async (operation) => {
        const { queue, perWorker } = slotsFor(operation);
        const taken = (): number => running.filter((one) => slotsFor(one).queue === queue).length;
        const left = free.get(queue) ?? (await workersOf(queue)) * perWorker - taken();
        free.set(queue, left - 1);
        return left > 0;
      };
    },
  };
}
