import { setTimeout as delay } from 'node:timers/promises';
import {
  addTotals,
  endedIn,
  isEnded,
  type BatchPosition,
  type BatchStatus,
  type BatchTotals,
  type PauseReason,
  type RateMark,
  type StoredBatch,
} from '../../contract/batches/batch-state.ts';
import type { Failure } from '../../contract/failures.ts';
import type { ListReference } from '../../contract/lists/list-entry.ts';
import { optional } from '../../runtime/optional.ts';
import type { KeyStore } from '../../store/accounts/key-store.ts';
import { nowMicroseconds } from '../../store/mongo/clock.ts';
import { routeNamesOf, type RouteNames, type Routes, type UpstreamUse } from '../../pacing/routes.ts';
import type { BatchStore } from '../../store/records/batch-store.ts';
import { callerOf } from '../caller-of.ts';
import { withHeartbeat } from '../heartbeat.ts';
import { createBatchSlots, type BatchSlotsDeps } from './batch-slots.ts';
import { OpenPiece, type PieceDeps } from './open-piece.ts';

export interface BatchDeps extends PieceDeps, BatchSlotsDeps {
  readonly batches: BatchStore;
  readonly keys: Pick<KeyStore, 'get'>;
  readonly routes: Routes;
}

/** The order by which the workflow has the source of a batch listed. */
export interface ListingOrder {
  readonly url: string;
  readonly use: UpstreamUse;
  readonly routes: RouteNames;
}

export interface BatchStep {
  readonly batchId: string;
  readonly position: BatchPosition;
  /** `start`: waiting items are started; `hold`: they keep waiting; `cancel`: they and running jobs are cancelled. */
  readonly mode: 'start' | 'hold' | 'cancel';
  /** Whether jobs are checked whose workflow may be gone. */
  readonly isThorough: boolean;
}

export interface BatchAdvance {
  readonly position: BatchPosition;
  readonly running: number;
  /** How many items have changed their state. */
  readonly changed: number;
  /** Why the next item cannot be started. */
  readonly blocked?: PauseReason;
  readonly isOver: boolean;
}

/** The most jobs of one batch that are open at once. */
export const BATCH_WINDOW = 64;
/** A look reads the record of each running job, so the wait before the next one grows with their number. */
const WAIT_PER_JOB_MS = 10;
const LEAST_WAIT_MS = 100;
/** When no job has ended for this time, the call ends. */
const QUIET_MS = 500;
/** A call delays a cancellation, and looks use a slot of the worker. */
const LOOKS_MAX_MS = 3_000;
const MARK_EVERY_MS = 15_000;
const MARKS_MAX = 20;

export function createBatchActivities(deps: BatchDeps) {
  const { batches } = deps;
  const slots = createBatchSlots(deps);
  const begun = async (batchId: string): Promise<StoredBatch> => {
    const batch = await batches.get(batchId);
    if (batch === undefined) throw new Error(`batch ${batchId} is missing`);
    return batch;
  };
  /** Reads the jobs of the open items, starts waiting items as far as the window and the money allow, and stores the sums. */
  const advanceOnce = async (step: BatchStep, signal: AbortSignal): Promise<BatchAdvance> => {
    const batch = await begun(step.batchId);
    const caller = await callerOf(deps.keys, batch);
    const open: OpenPiece[] = [];
    let { ended } = step.position;
    let { next } = step.position;
    let changed = 0;
    let blocked: PauseReason | undefined;
    for (const number of step.position.open) {
      const piece = await OpenPiece.load(deps, batch, number);
      changed += await piece.settle({ isThorough: step.isThorough, signal });
      open.push(piece);
    }
    const running = (): number => open.reduce((sum, { totals }) => sum + totals.counts.running, 0);
    const committed = (): number =>
      open.reduce((sum, piece) => sum + piece.totals.spent + piece.committed, ended.spent);
    const begin = async (piece: OpenPiece): Promise<void> => {
      if (step.mode === 'cancel') {
        changed += await piece.cancel();
      } else if (caller === undefined) {
        blocked = 'key_revoked';
      } else {
        const room = { jobs: BATCH_WINDOW - running(), money: (batch.maxCost ?? Infinity) - committed() };
        const takeSlot = slots.besides(open.flatMap(({ runningOperations }) => runningOperations));
        const started = await piece.start({ caller, signal, takeSlot, ...room });
        changed += started.changed;
        blocked = started.blocked;
      }
    };
    const mayBegin = (): boolean =>
      step.mode === 'cancel' || (step.mode === 'start' && blocked === undefined && running() < BATCH_WINDOW);
    for (const piece of open) {
      if (mayBegin() && piece.hasWaiting()) await begin(piece);
    }
    while (next <= batch.piecePrices.length && mayBegin() && !open.some((piece) => piece.hasWaiting())) {
      const piece = await OpenPiece.load(deps, batch, next);
      next += 1;
      open.push(piece);
      await begin(piece);
      // Pieces without open items are not kept, so that the cancellation of a large batch needs little memory.
      ended = takeEnded(open, ended);
    }
    ended = takeEnded(open, ended);
    const known = open.reduce((sum, { totals }) => addTotals(sum, totals), ended);
    const isOver = open.length === 0 && next > batch.piecePrices.length;
    await batches.change(batch.id, { ...sumsOf(batch, known, next), ...marksOf(batch, known) });
    return {
      position: { open: open.map(({ number }) => number), next, ended },
      ...{ running: known.counts.running, changed, isOver },
      ...optional('blocked', blocked),
    };
  };
  return {
    /**
     * Looks at a batch, and again as long as jobs end, because timers of the server may be late by a second. It may be repeated:
     * the position and the stored progress determine what is left to do.
     */
    advanceBatch: (step: BatchStep): Promise<BatchAdvance> =>
      withHeartbeat(async (_report, signal) => {
        const begunMs = performance.now();
        let changedMs = begunMs;
        let changed = 0;
        for (let look = step; ;) {
          const advance = await advanceOnce(look, signal);
          const nowMs = performance.now();
          if (advance.changed > 0) changedMs = nowMs;
          changed += advance.changed;
          const isLast = nowMs - changedMs >= QUIET_MS || nowMs - begunMs >= LOOKS_MAX_MS;
          if (isLast || advance.running === 0 || advance.blocked !== undefined) return { ...advance, changed };
          look = { ...step, position: advance.position, isThorough: false };
          await delay(LEAST_WAIT_MS + WAIT_PER_JOB_MS * advance.running, undefined, { signal });
        }
      }),

    /** @returns how the source of a batch is listed; undefined if that has been done */
    async beginListing({ batchId }: { readonly batchId: string }): Promise<ListingOrder | undefined> {
      const { source } = await begun(batchId);
      if (source === undefined || source.isListed) return undefined;
      return { url: source.url, use: useOf(source.list), routes: routeNamesOf(deps.routes) };
    },

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

/** Removes the pieces whose items have ended from the list. @returns the sums over all ended pieces */
function takeEnded(open: OpenPiece[], ended: BatchTotals): BatchTotals {
  const over = open.filter((piece) => piece.isOver());
  for (const piece of over) open.splice(open.indexOf(piece), 1);
  return over.reduce((sum, { totals }) => addTotals(sum, totals), ended);
}

/** The sums of a batch, with the pieces that have not been begun: those from `next` on. */
function sumsOf({ items, piecePrices }: StoredBatch, { counts, spent, open }: BatchTotals, next: number) {
  const waiting = items - endedIn(counts) - counts.running;
  const notBegun = piecePrices.slice(next - 1).reduce((sum, price) => sum + price, 0);
  return { counts: { ...counts, waiting }, spent, open: open + notBegun, updatedAtMs: Date.now() };
}

function marksOf({ marks, counts }: StoredBatch, known: BatchTotals): { readonly marks: readonly RateMark[] } {
  const last = marks.at(-1);
  const mark = { atMs: Date.now(), ended: endedIn(last === undefined ? counts : known.counts) };
  if (last !== undefined && mark.atMs - last.atMs < MARK_EVERY_MS) return { marks };
  return { marks: [...marks, mark].slice(-MARKS_MAX) };
}

/** How a list uses an upstream. */
export function useOf(list: ListReference): UpstreamUse {
  const site = list.kind === 'page' ? list.site : undefined;
  return site === undefined ? 'vidnet-page' : `site/${site}`;
}
