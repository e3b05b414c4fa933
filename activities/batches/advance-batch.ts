import { setTimeout as delay } from 'node:timers/promises';
import { isEnded, type BatchStatus, type PauseReason, type StoredBatch } from '../../contract/batches/batch-state.ts';
import type { Failure } from '../../contract/failures.ts';
import { optional } from '../../runtime/optional.ts';
import { nowMicroseconds } from '../../store/mongo/clock.ts';
import { callerOf } from '../caller-of.ts';
import { withHeartbeat } from '../heartbeat.ts';
import { createBatchSlots } from './batch-slots.ts';
import { BatchRun, type BatchAdvance, type BatchDeps, type BatchStep } from './batch-run.ts';

/** A look reads the record of each running job, so the wait before the next one grows with their number. */
const WAIT_PER_JOB_MS = 10;
const LEAST_WAIT_MS = 50;
/** When no job has ended for this time, the call ends. */
const QUIET_MS = 500;
/** The sums are for callers that follow the batch. */
const STORE_EVERY_MS = 1_000;
/** A call delays a cancellation, and looks use a slot of the worker. */
const LOOKS_MAX_MS = 3_000;

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
        const run = new BatchRun({ deps, slots, batch: left, step, signal, caller: await callerOf(deps.keys, batch) });
        await run.load();
        const begunMs = performance.now();
        let [changedMs, storedMs] = [begunMs, begunMs];
        let changed = 0;
        for (let isThorough = step.isThorough; ; isThorough = false) {
          const advance = await run.look(isThorough);
          const nowMs = performance.now();
          if (advance.changed > 0) changedMs = nowMs;
          changed += advance.changed;
          if (advance.changed > 0 && nowMs - storedMs >= STORE_EVERY_MS) {
            await run.storeSums();
            storedMs = nowMs;
          }
          const isLast = nowMs - changedMs >= QUIET_MS || nowMs - begunMs >= LOOKS_MAX_MS;
          if (isLast || advance.running === 0 || advance.blocked !== undefined) {
            await run.storeSums();
            return { ...advance, changed };
          }
          await delay(LEAST_WAIT_MS + WAIT_PER_JOB_MS * advance.running, undefined, { signal });
        }
      }),

    /** Stores the status of a batch, which only its workflow changes. */
    async setBatchStatus({
      batchId,
      status,
      pause,
      failure,
    }: {
      readonly batchId: string;
      readonly status: BatchStatus;
      readonly pause?: PauseReason;
      readonly failure?: Failure;
    }): Promise<void> {
      const isEnd = isEnded({ status });
      const { finishedAt } = await begun(batchId);
      await batches.change(
        batchId,
        {
          ...{ status, updatedAtMs: Date.now() },
          ...optional('pause', pause),
          ...optional('failure', failure),
          ...(isEnd ? { finishedAt: finishedAt ?? nowMicroseconds() } : { marks: [] }),
        },
        [...(pause === undefined ? (['pause'] as const) : []), ...(isEnd ? [] : (['finishedAt', 'failure'] as const))],
      );
    },

    /** Lets the failed items of a batch wait again. */
    resetFailedItems: ({ batchId }: { readonly batchId: string }): Promise<void> =>
      withHeartbeat(async (_report, signal) => {
        const { piecePrices } = await begun(batchId);
        for (let number = 1; number <= piecePrices.length; number += 1) {
          signal.throwIfAborted();
          const { items, progressOf } = await batches.piece({ batchId, number });
          const failed = items.flatMap((_item, index) => (progressOf(index)?.state === 'failed' ? [index] : []));
          await batches.resetItems({ batchId, number }, failed);
        }
      }),
  };
}
