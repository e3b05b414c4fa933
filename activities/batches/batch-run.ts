import {
  addTotals,
  endedIn,
  type BatchPosition,
  type ItemCounts,
  type PauseReason,
  type RateMark,
  type StoredBatch,
} from '../../contract/batches/batch-state.ts';
import type { Caller } from '../../contract/http/account-schemas.ts';
import { optional } from '../../runtime/optional.ts';
import type { BatchSlots, BatchSlotsDeps } from './batch-slots.ts';
import type { KeyStore } from '../../store/accounts/key-store.ts';
import { OpenPiece, type PieceDeps, type Started } from './open-piece.ts';

export interface BatchDeps extends PieceDeps, BatchSlotsDeps {
  readonly keys: Pick<KeyStore, 'get'>;
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
const MARK_EVERY_MS = 15_000;
const MARKS_MAX = 20;

interface BatchRunOptions {
  readonly deps: BatchDeps;
  readonly slots: BatchSlots;
  readonly batch: StoredBatch;
  /** Undefined if the key of the batch was revoked. */
  readonly caller: Caller | undefined;
  readonly step: BatchStep;
  readonly signal: AbortSignal;
}

/** A batch during one call of `advanceBatch`, which alone changes its items. */
export async function openBatch({ deps, slots, batch, caller, step, signal }: BatchRunOptions) {
  let { next, ended } = step.position;
  const open: OpenPiece[] = [];
  for (const number of step.position.open) open.push(await OpenPiece.load(deps, batch, number));
  const running = () => open.flatMap((piece) => piece.running);
  const known = () => open.reduce((sum, { totals }) => addTotals(sum, totals), ended);
  const begin = async (piece: OpenPiece): Promise<Started> => {
    if (step.mode === 'cancel') return { changed: await piece.cancel() };
    if (caller === undefined) return { changed: 0, blocked: 'key_revoked' };
    const jobs = running();
    const owed = jobs.reduce((sum, { price, progress }) => sum + (progress?.isPaidElsewhere === true ? 0 : price), 0);
    return piece.start({
      ...{ caller, signal, jobs: BATCH_WINDOW - jobs.length },
      money: (batch.maxCost ?? Infinity) - known().spent - owed,
      takeSlot: slots.besides(jobs.map(({ request }) => request.operation)),
    });
  };
  /** Adds the pieces whose items have ended to the sums. They are not kept, so that a large batch needs little memory. */
  const closePieces = (): void => {
    for (const piece of open.splice(0)) {
      if (piece.isOver()) ended = addTotals(ended, piece.totals);
      else open.push(piece);
    }
  };
  return {
    /** Reads the jobs of the open items, and starts waiting items as far as the slots and the money allow. */
    async look(isThorough: boolean): Promise<BatchAdvance> {
      let changed = 0;
      let blocked: PauseReason | undefined;
      for (const piece of open) changed += await piece.settle(isThorough, signal);
      const isCancelling = step.mode === 'cancel';
      const mayBegin = (): boolean =>
        isCancelling || (step.mode === 'start' && blocked === undefined && running().length < BATCH_WINDOW);
      const beginIn = async (piece: OpenPiece): Promise<void> => {
        const begun = await begin(piece);
        changed += begun.changed;
        blocked = begun.blocked;
      };
      for (const piece of open) if (mayBegin() && (isCancelling || piece.hasWaiting())) await beginIn(piece);
      for (; next <= batch.piecePrices.length && mayBegin() && !open.some((one) => one.hasWaiting()); next += 1) {
        const piece = await OpenPiece.load(deps, batch, next);
        open.push(piece);
        await beginIn(piece);
        closePieces();
      }
      closePieces();
      return {
        position: { open: open.map(({ number }) => number), next, ended },
        ...{ running: running().length, changed },
        isOver: open.length === 0 && next > batch.piecePrices.length,
        ...optional('blocked', blocked),
      };
    },

    /** Stores the sums over all items, for callers that follow the batch. */
    async storeSums(): Promise<void> {
      const { counts, spent, open: left } = known();
      const waiting = batch.items - endedIn(counts) - counts.running;
      const notBegun = batch.piecePrices.slice(next - 1).reduce((sum, price) => sum + price, 0);
      await deps.batches.change(batch.id, {
        ...{ counts: { ...counts, waiting }, spent, open: left + notBegun },
        ...{ updatedAtMs: Date.now(), marks: marksOf(batch, counts) },
      });
    },
  };
}

function marksOf({ marks, counts }: StoredBatch, known: ItemCounts): readonly RateMark[] {
  const last = marks.at(-1);
  const mark = { atMs: Date.now(), ended: endedIn(last === undefined ? counts : known) };
  return last !== undefined && mark.atMs - last.atMs < MARK_EVERY_MS ? marks : [...marks, mark].slice(-MARKS_MAX);
}
