import {
  addTotals,
  endedIn,
  type BatchPosition,
  type BatchTotals,
  type PauseReason,
  type RateMark,
  type StoredBatch,
} from '../../contract/batches/batch-state.ts';
import type { Caller } from '../../contract/http/account-schemas.ts';
import { optional } from '../../runtime/optional.ts';
import type { BatchSlots, BatchSlotsDeps } from './batch-slots.ts';
import type { KeyStore } from '../../store/accounts/key-store.ts';
import { OpenPiece, type PieceDeps } from './open-piece.ts';

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
export class BatchRun {
  readonly #options: BatchRunOptions;
  readonly #open: OpenPiece[] = [];
  #ended: BatchTotals;
  #next: number;

  constructor(options: BatchRunOptions) {
    this.#options = options;
    this.#ended = options.step.position.ended;
    this.#next = options.step.position.next;
  }

  async load(): Promise<void> {
    const { deps, batch, step } = this.#options;
    for (const number of step.position.open) this.#open.push(await OpenPiece.load(deps, batch, number));
  }

  /** Reads the jobs of the open items, and starts waiting items as far as the slots and the money allow. */
  async look(isThorough: boolean): Promise<BatchAdvance> {
    const { deps, batch, step, signal } = this.#options;
    let changed = 0;
    for (const piece of this.#open) changed += await piece.settle({ isThorough, signal });
    let blocked: PauseReason | undefined;
    const begin = async (piece: OpenPiece): Promise<void> => {
      const begun = await this.#begin(piece);
      changed += begun.changed;
      blocked = begun.blocked;
    };
    const mayBegin = (): boolean =>
      step.mode === 'cancel' || (step.mode === 'start' && blocked === undefined && this.#running < BATCH_WINDOW);
    for (const piece of this.#open) {
      if (mayBegin() && piece.hasWaiting()) await begin(piece);
    }
    while (this.#next <= batch.piecePrices.length && mayBegin() && !this.#open.some((piece) => piece.hasWaiting())) {
      const piece = await OpenPiece.load(deps, batch, this.#next);
      this.#next += 1;
      this.#open.push(piece);
      await begin(piece);
      // Pieces without open items are not kept, so that the cancellation of a large batch needs little memory.
      this.#takeEnded();
    }
    this.#takeEnded();
    return {
      position: { open: this.#open.map(({ number }) => number), next: this.#next, ended: this.#ended },
      ...{ running: this.#running, changed },
      isOver: this.#open.length === 0 && this.#next > batch.piecePrices.length,
      ...optional('blocked', blocked),
    };
  }

  /** Stores the sums over all items. */
  async storeSums(): Promise<void> {
    const { deps, batch } = this.#options;
    const known = this.#open.reduce((sum, { totals }) => addTotals(sum, totals), this.#ended);
    const waiting = batch.items - endedIn(known.counts) - known.counts.running;
    const notBegun = batch.piecePrices.slice(this.#next - 1).reduce((sum, price) => sum + price, 0);
    await deps.batches.change(batch.id, {
      ...{ counts: { ...known.counts, waiting }, spent: known.spent, open: known.open + notBegun },
      ...{ updatedAtMs: Date.now(), marks: marksOf(batch, known) },
    });
  }

  async #begin(piece: OpenPiece): Promise<{ readonly changed: number; readonly blocked?: PauseReason }> {
    const { slots, batch, caller, step, signal } = this.#options;
    if (step.mode === 'cancel') return { changed: await piece.cancel() };
    if (caller === undefined) return { changed: 0, blocked: 'key_revoked' };
    const committed = this.#open.reduce((sum, one) => sum + one.totals.spent + one.committed, this.#ended.spent);
    return piece.start({
      ...{ caller, signal, jobs: BATCH_WINDOW - this.#running, money: (batch.maxCost ?? Infinity) - committed },
      takeSlot: slots.besides(this.#open.flatMap(({ runningOperations }) => runningOperations)),
    });
  }

  get #running(): number {
    return this.#open.reduce((sum, { totals }) => sum + totals.counts.running, 0);
  }

  /** Removes the pieces whose items have ended, and adds them to the sums. */
  #takeEnded(): void {
    const over = this.#open.filter((piece) => piece.isOver());
    for (const piece of over) this.#open.splice(this.#open.indexOf(piece), 1);
    this.#ended = over.reduce((sum, { totals }) => addTotals(sum, totals), this.#ended);
  }
}

function marksOf({ marks, counts }: StoredBatch, known: BatchTotals): readonly RateMark[] {
  const last = marks.at(-1);
  const mark = { atMs: Date.now(), ended: endedIn(last === undefined ? counts : known.counts) };
  return last !== undefined && mark.atMs - last.atMs < MARK_EVERY_MS ? marks : [...marks, mark].slice(-MARKS_MAX);
}
