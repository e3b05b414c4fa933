import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';
import {
  addTotals,
  endedIn,
  isEnded,
  START_POSITION,
  type BatchStatus,
  type ItemCounts,
  type PauseReason,
  type RateMark,
  type StoredBatch,
} from '../../contract/batches/batch-state.ts';
import { ulidSchema } from '../../contract/ids.ts';
import { optional } from '../../runtime/optional.ts';
import type { KeyStore } from '../../store/accounts/key-store.ts';
import { nowMicroseconds } from '../../store/mongo/clock.ts';
import { callerOf } from '../caller-of.ts';
import { withHeartbeat } from '../heartbeat.ts';
import type { LocalJobs } from '../local-jobs.ts';
import { createBatchSlots, type BatchSlotsDeps } from './batch-slots.ts';
import { leaveList, listingOf, type LeaveListDeps, type ListingOrder } from './list-source.ts';
import { openPiece, type OpenPiece, type PieceDeps } from './open-piece.ts';

export interface BatchDeps extends PieceDeps, BatchSlotsDeps, Pick<LeaveListDeps, 'leaveProfile'> {
  readonly keys: Pick<KeyStore, 'get'>;
  readonly localJobs: LocalJobs;
}

export const batchStepSchema = z.object({
  batchId: ulidSchema,
  /** `start`: waiting items are started; `hold`: they keep waiting; `cancel`: they and running jobs are cancelled. */
  mode: z.enum(['start', 'hold', 'cancel']),
  /** Whether jobs are checked whose workflow may be gone. */
  isThorough: z.boolean(),
});
export type BatchStep = Readonly<z.infer<typeof batchStepSchema>>;

export interface BatchAdvance {
  readonly running: number;
  /** How many items have changed their state. */
  readonly changed: number;
  /** Why the next item cannot be started. */
  readonly blocked?: PauseReason;
  readonly isOver: boolean;
}

/** The most jobs of one batch that are open at once. */
export const BATCH_WINDOW = 64;
/** Jobs that end in this process are noticed after this time. */
const WAIT_MS = 20;
/** Ends in other processes are noticed by reading the record of each running job, so that wait grows with their number. */
const WAIT_PER_JOB_MS = 20;
/** When no job has ended for this time, the call ends. */
const QUIET_MS = 500;
/** The sums are for callers that follow the batch. */
const STORE_EVERY_MS = 1_000;
/** A call delays a cancellation, and looks use a slot of the worker. */
const LOOKS_MAX_MS = 3_000;
const MARK_EVERY_MS = 15_000;
const MARKS_MAX = 20;

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
  const setBatchStatus = async ({ batchId, status, ...why }: BatchStatusChange): Promise<void> => {
    const { finishedAt = nowMicroseconds() } = await begun(batchId);
    const kept = { ...why, ...(isEnded({ status }) ? { finishedAt } : { marks: [] }) };
    const removed = (['pause', 'failure', 'finishedAt'] as const).filter((field) => !(field in kept));
    await batches.change(batchId, { status, updatedAtMs: Date.now(), ...kept }, removed);
  };
  return {
    /** Lets the failed items of a batch that is retried wait again. @returns how its list is read, if that must be done first */
    beginBatch: ({ batchId, isRetry }: { batchId: string; isRetry: boolean }): Promise<ListingOrder | undefined> =>
      withHeartbeat(async (_report, signal) => {
        const { piecePrices, source } = await begun(batchId);
        for (let number = 1; isRetry && number <= piecePrices.length; number += 1) {
          signal.throwIfAborted();
          await batches.resetFailed({ batchId, number });
        }
        if (isRetry) await batches.change(batchId, { position: START_POSITION });
        const isToBeListed = source !== undefined && !source.isListed;
        await setBatchStatus({ batchId, status: isToBeListed ? 'listing' : 'running' });
        return isToBeListed ? listingOf(source, deps.routes) : undefined;
      }),

    /**
     * Starts waiting items, and looks for the end of their jobs as long as jobs end, because timers of the server may be late by
     * a second. It may be repeated: the stored position and progress determine what is left to do.
     */
    advanceBatch: (step: BatchStep): Promise<BatchAdvance> =>
      withHeartbeat(async (_report, signal) => {
        const batch = await begun(step.batchId);
        const isCancelled = step.mode === 'cancel';
        if (isCancelled && (await leaveList(deps, batch))) return { running: 1, changed: 0, isOver: false };
        const run = await openBatch({ deps, slots, batch, step, signal });
        const begunMs = performance.now();
        let [changedMs, storedMs, changed, dueMs] = [begunMs, begunMs, 0, begunMs];
        const endedHere = deps.localJobs.listen();
        try {
          for (let isThorough = step.isThorough; ; isThorough = false) {
            const isDue = performance.now() >= dueMs;
            const ended = new Set(endedHere);
            endedHere.clear();
            const advance = await run.look(isThorough, isDue ? undefined : ended);
            const nowMs = performance.now();
            if (isDue) dueMs = nowMs + WAIT_MS + WAIT_PER_JOB_MS * advance.running;
            if (advance.changed > changed) changedMs = nowMs;
            const isLate = nowMs - changedMs >= QUIET_MS || nowMs - begunMs >= LOOKS_MAX_MS;
            const isLast = isLate || advance.running === 0 || advance.blocked !== undefined;
            if (isLast || (advance.changed > changed && nowMs - storedMs >= STORE_EVERY_MS)) {
              await run.storeSums();
              storedMs = nowMs;
            }
            if (isLast) return advance;
            changed = advance.changed;
            do await delay(WAIT_MS, undefined, { signal });
            while (endedHere.size === 0 && performance.now() < dueMs);
          }
        } finally {
          deps.localJobs.leave(endedHere);
        }
      }),

    /** Stores the status of a batch, which only its workflow changes. */
    setBatchStatus,
  };
}

interface BatchRunOptions {
  readonly deps: BatchDeps;
  readonly slots: ReturnType<typeof createBatchSlots>;
  readonly batch: StoredBatch;
  readonly step: BatchStep;
  readonly signal: AbortSignal;
}

/** A batch during one call of `advanceBatch`, which alone changes its items. */
async function openBatch({ deps, slots, batch, step: { mode }, signal }: BatchRunOptions) {
  const { piecePrices, position, maxCost = Infinity, listCost = 0 } = batch;
  const caller = await callerOf(deps.keys, batch);
  let { next, ended } = position;
  let changed = 0;
  const open: OpenPiece[] = [];
  const load = async (number: number): Promise<OpenPiece> => {
    const piece = await openPiece(deps, { batch, number, signal, onChange: (items) => (changed += items) });
    open.push(piece);
    return piece;
  };
  for (const number of position.open) await load(number);
  const running = () => open.flatMap((piece) => piece.running());
  const known = () => open.reduce((sum, piece) => addTotals(sum, piece.totals()), ended);
  /** @returns why the next item cannot be started */
  const begin = async (piece: OpenPiece): Promise<PauseReason | undefined> => {
    if (mode === 'cancel') await piece.cancel();
    if (!piece.hasWaiting()) return undefined;
    if (caller === undefined) return 'key_revoked';
    const jobs = running();
    const owed = jobs.reduce((sum, { price, progress }) => sum + (progress?.isPaidElsewhere === true ? 0 : price), 0);
    return piece.start({
      ...{ caller, jobs: BATCH_WINDOW - jobs.length },
      // The list has been paid for already.
      money: maxCost - listCost - known().spent - owed,
      takeSlot: slots.besides(jobs.map(({ request }) => request.operation)),
    });
  };
  /** Adds the pieces whose items have ended to the sums. They are not kept, so that a large batch needs little memory. */
  const closePieces = (): void => {
    for (const piece of open.splice(0)) {
      if (piece.isOver()) ended = addTotals(ended, piece.totals());
      else open.push(piece);
    }
  };
  return {
    /**
     * Reads the jobs of the open items, and starts waiting items as far as the slots and the money allow.
     *
     * @param among the IDs of the records that are read; default: those of all running items
     */
    async look(isThorough: boolean, among?: ReadonlySet<string>): Promise<BatchAdvance> {
      let blocked: PauseReason | undefined;
      for (const piece of open) await piece.settle(isThorough, among);
      const mayBegin = (): boolean => {
        if (mode !== 'start' || blocked !== undefined) return mode === 'cancel';
        const jobs = running().length;
        return jobs === 0 || (jobs < BATCH_WINDOW && !deps.localJobs.yields());
      };
      for (const piece of open) if (mayBegin()) blocked = await begin(piece);
      for (; next <= piecePrices.length && mayBegin() && !open.some((one) => one.hasWaiting()); next += 1) {
        blocked = await begin(await load(next));
        closePieces();
      }
      closePieces();
      const isOver = open.length === 0 && next > piecePrices.length;
      return { running: running().length, changed, isOver, ...optional('blocked', blocked) };
    },

    /** Stores how far the batch is, and the sums over all items. */
    async storeSums(): Promise<void> {
      const { counts, spent, open: left } = known();
      const waiting = batch.items - endedIn(counts) - counts.running;
      const notBegun = piecePrices.slice(next - 1).reduce((sum, price) => sum + price, 0);
      await deps.batches.change(batch.id, {
        ...{ counts: { ...counts, waiting }, spent, open: left + notBegun },
        ...{ updatedAtMs: Date.now(), marks: marksOf(batch, counts) },
        position: { open: open.map(({ number }) => number), next, ended },
      });
    },
  };
}

function marksOf({ marks, counts }: StoredBatch, known: ItemCounts): readonly RateMark[] {
  const last = marks.at(-1);
  const mark = { atMs: Date.now(), ended: endedIn(last === undefined ? counts : known) };
  return last !== undefined && mark.atMs - last.atMs < MARK_EVERY_MS ? marks : [...marks, mark].slice(-MARKS_MAX);
}
