import { setTimeout as delay } from 'node:timers/promises';
import { isEnded, type BatchStatus, type StoredBatch } from '../../contract/batches/batch-state.ts';
import { nowMicroseconds } from '../../store/mongo/clock.ts';
import { callerOf } from '../caller-of.ts';
import { withHeartbeat } from '../heartbeat.ts';
import { createBatchSlots } from './batch-slots.ts';
import { openBatch, type BatchAdvance, type BatchDeps, type BatchStep } from './batch-run.ts';

/** A look reads the record of each running job, so the wait before the next one grows with their number. */
const WAIT_PER_JOB_MS = 10;
const LEAST_WAIT_MS = 50;
/** When no job has ended for this time, the call ends. */
const QUIET_MS = 500;
/** The sums are for callers that follow the batch. */
const STORE_EVERY_MS = 1_000;
/** A call delays a cancellation, and looks use a slot of the worker. */
const LOOKS_MAX_MS = 3_000;

interface BatchStatusChange extends Pick<StoredBatch, 'pause' | 'failure'> {
  readonly batchId: string;
  readonly status: BatchStatus;
}

export function createBatchActivities(deps: BatchDeps) {
  const { batches } = deps;
  const slots = createBatchSlots(deps);
  const begun = async (batchId: string): Promise<StoredBatch> => {
    const batch = await batches.get(batchId);
    if (batch === undefined) throw new Error(`batch ${batchId} is missing`);
    return batch;
  };
  return {
    /**
     * Starts waiting items, and looks for the end of their jobs as long as jobs end, because timers of the server may be late by
     * a second. It may be repeated: the position and the stored progress determine what is left to do.
     */
    advanceBatch: (step: BatchStep): Promise<BatchAdvance> =>
      withHeartbeat(async (_report, signal) => {
        const batch = await begun(step.batchId);
        // The list has been paid for already.
        const left = batch.maxCost === undefined ? batch : { ...batch, maxCost: batch.maxCost - (batch.listCost ?? 0) };
        const caller = await callerOf(deps.keys, batch);
        const run = await openBatch({ ...{ deps, slots, batch: left, step, signal }, caller });
        const begunMs = performance.now();
        let [changedMs, storedMs] = [begunMs, begunMs];
        let changed = 0;
        for (let isThorough = step.isThorough; ; isThorough = false) {
          const advance = await run.look(isThorough);
          const nowMs = performance.now();
          if (advance.changed > 0) changedMs = nowMs;
          changed += advance.changed;
          const isLate = nowMs - changedMs >= QUIET_MS || nowMs - begunMs >= LOOKS_MAX_MS;
          const isLast = isLate || advance.running === 0 || advance.blocked !== undefined;
          if (isLast || (advance.changed > 0 && nowMs - storedMs >= STORE_EVERY_MS)) {
            await run.storeSums();
            storedMs = nowMs;
          }
          if (isLast) return { ...advance, changed };
          await delay(LEAST_WAIT_MS + WAIT_PER_JOB_MS * advance.running, undefined, { signal });
        }
      }),

    /** Stores the status of a batch, which only its workflow changes. */
    async setBatchStatus({ batchId, status, ...why }: BatchStatusChange): Promise<void> {
      const isEnd = isEnded({ status });
      const { finishedAt } = await begun(batchId);
      const kept = isEnd ? { ...why, finishedAt: finishedAt ?? nowMicroseconds() } : { ...why, marks: [] };
      const removed = (['pause', 'failure', 'finishedAt'] as const).filter((field) => !(field in kept));
      await batches.change(batchId, { status, updatedAtMs: Date.now(), ...kept }, removed);
    },

    /** Lets the failed items of a batch wait again. */
    resetFailedItems: ({ batchId }: { readonly batchId: string }): Promise<void> =>
      withHeartbeat(async (_report, signal) => {
        const { piecePrices } = await begun(batchId);
        for (let number = 1; number <= piecePrices.length; number += 1) {
          signal.throwIfAborted();
          await batches.resetFailed({ batchId, number });
        }
      }),
  };
}
