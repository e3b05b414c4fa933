import {
  NO_TOTALS,
  type BatchTotals,
  type ItemProgress,
  type PauseReason,
  type StoredBatch,
} from '../../contract/batches/batch-state.ts';
import { ulid } from 'ulid';
import type { DownloadRecord, PendingRecord } from '../../contract/download-record.ts';
import type { Caller } from '../../contract/http/account-schemas.ts';
import type { AcceptedItem, ItemOrder } from '../../contract/batches/item-order.ts';
import { chargeOf } from '../../contract/kinds/charges.ts';
import { failureFor } from '../../contract/failures.ts';
import { optional } from '../../runtime/optional.ts';
import type { BatchPiece, BatchStore } from '../../store/records/batch-store.ts';
import type { RecordStore } from '../../store/records/record-store.ts';
import type { BatchOperation, TakeSlot } from './batch-slots.ts';

export interface PieceDeps {
  readonly batches: BatchStore;
  readonly records: Pick<RecordStore, 'get'>;
  /** Starts or joins the job of an item, as its single request does. */
  readonly acceptItem: (order: ItemOrder) => Promise<AcceptedItem>;
  readonly cancelItem: (record: PendingRecord) => Promise<void>;
  /** Ends a pending record whose workflow is gone. */
  readonly endIfGone: (record: PendingRecord) => Promise<DownloadRecord>;
}

interface StartOptions {
  readonly caller: Caller;
  readonly signal: AbortSignal;
  /** How many jobs may become open, of all operations together. */
  readonly jobs: number;
  readonly takeSlot: TakeSlot;
  /** How much they may cost. */
  readonly money: number;
}

/** A higher concurrency accepts no item sooner, and the engines have other requests to serve. */
const ACCEPTED_AT_ONCE = 8;
const READ_AT_ONCE = 16;

/** A piece of a batch with the progress of its items, whose changes it stores. */
export class OpenPiece {
  readonly number: number;
  readonly #deps: PieceDeps;
  readonly #batch: StoredBatch;
  readonly #piece: BatchPiece;
  readonly #progress: Map<number, ItemProgress>;
  readonly #tries: Map<number, readonly string[]>;

  static async load(deps: PieceDeps, batch: StoredBatch, number: number): Promise<OpenPiece> {
    return new OpenPiece(deps, batch, { number, piece: await deps.batches.piece({ batchId: batch.id, number }) });
  }

  private constructor(
    deps: PieceDeps,
    batch: StoredBatch,
    { number, piece }: { readonly number: number; readonly piece: BatchPiece },
  ) {
    this.number = number;
    this.#deps = deps;
    this.#batch = batch;
    this.#piece = piece;
    const known = piece.items.map((_item, index) => [index, piece.progressOf(index)] as const);
    this.#tries = new Map(piece.items.map((_item, index) => [index, piece.triesOf(index)]));
    this.#progress = new Map(known.filter((entry): entry is [number, ItemProgress] => entry[1] !== undefined));
  }

  get totals(): BatchTotals {
    const counts = { ...NO_TOTALS.counts };
    let [spent, open] = [0, 0];
    for (const [index, { price }] of this.#piece.items.entries()) {
      const { state, cost = 0, isPaidElsewhere = false } = this.#progress.get(index) ?? { state: 'waiting' as const };
      counts[state] += 1;
      spent += cost;
      if ((state === 'waiting' || state === 'running') && !isPaidElsewhere) open += price;
    }
    return { counts, spent, open };
  }

  /** The prices of the running jobs for which this batch pays. */
  get committed(): number {
    return [...this.#progress].reduce((sum, [index, { state, isPaidElsewhere }]) => {
      const isPaid = state === 'running' && isPaidElsewhere !== true;
      return sum + (isPaid ? (this.#piece.items[index]?.price ?? 0) : 0);
    }, 0);
  }

  /** The operations of the running jobs. */
  get runningOperations(): readonly BatchOperation[] {
    return this.#running().flatMap(([index]) => this.#piece.items[index]?.request.operation ?? []);
  }

  hasWaiting(): boolean {
    return this.#progress.size < this.#piece.items.length;
  }

  isOver(): boolean {
    return !this.hasWaiting() && this.#running().length === 0;
  }

  /** Reads the records of running items. @returns the number of items that have ended */
  async settle({
    isThorough,
    signal,
  }: {
    readonly isThorough: boolean;
    readonly signal: AbortSignal;
  }): Promise<number> {
    const ended: [number, ItemProgress][] = [];
    for (const some of groupsOf(this.#running(), READ_AT_ONCE)) {
      signal.throwIfAborted();
      await Promise.all(
        some.map(async ([index, { recordId }]) => {
          let record = recordId === undefined ? undefined : await this.#deps.records.get(recordId);
          if (isThorough && record?.status === 'pending') record = await this.#deps.endIfGone(record);
          if (record === undefined && !isThorough) return;
          const now = record === undefined ? LOST : this.#progressOf(index, record);
          if (now.state !== 'running') ended.push([index, now]);
        }),
      );
    }
    return this.#note(ended);
  }

  /** Starts waiting items in their order, but leaves out those whose upstream has no free slot. */
  async start(options: StartOptions): Promise<{ readonly changed: number; readonly blocked?: PauseReason }> {
    let { money } = options;
    let changed = 0;
    const chosen: number[] = [];
    let blocked: PauseReason | undefined;
    for (const [index, { price, request }] of this.#piece.items.entries()) {
      if (chosen.length >= options.jobs) break;
      if (this.#progress.has(index)) continue;
      if (price > money) {
        blocked = 'max_cost';
        break;
      }
      if (!(await options.takeSlot(request.operation))) continue;
      money -= price;
      chosen.push(index);
    }
    for (const some of groupsOf(chosen, ACCEPTED_AT_ONCE)) {
      options.signal.throwIfAborted();
      const { isBusy, isUnpaid, ...accepted } = await this.#acceptAll(some, options.caller);
      changed += accepted.changed;
      if (isUnpaid) return { changed, blocked: 'insufficient_credit' };
      if (isBusy) return { changed };
    }
    return { changed, ...optional('blocked', blocked) };
  }

  /** Cancels the running jobs that this batch has started, and all waiting items. @returns the number of changed items */
  async cancel(): Promise<number> {
    const left: [number, ItemProgress][] = [];
    for (const index of this.#piece.items.keys()) {
      const { recordId, isPaidElsewhere, state } = this.#progress.get(index) ?? { state: 'waiting' as const };
      if (state === 'waiting' || (state === 'running' && isPaidElsewhere === true)) {
        left.push([index, { state: 'cancelled', ...optional('recordId', recordId) }]);
      } else if (state === 'running' && recordId !== undefined) {
        const record = await this.#deps.records.get(recordId);
        if (record?.status === 'pending') await this.#deps.cancelItem(record);
      }
    }
    return this.#note(left);
  }

  #running(): (readonly [number, ItemProgress])[] {
    return [...this.#progress].filter(([, { state }]) => state === 'running');
  }

  async #acceptAll(indexes: readonly number[], caller: Caller) {
    // If an earlier attempt has started a job, its record tells so, and another request for its subject would be a new job.
    const known = await Promise.all(indexes.map((index) => this.#startedBefore(index)));
    const orders = indexes.map((index, at) => ({ index, record: known[at], recordId: ulid() }));
    const { id: batchId, itemWebhookUrl } = this.#batch;
    const name = { batchId, number: this.number };
    const fresh = orders.filter(({ record }) => record === undefined);
    await this.#deps.batches.noteTries(
      name,
      fresh.map(({ index, recordId }) => [index, recordId]),
    );
    for (const { index, recordId } of fresh) this.#tries.set(index, [...this.#triesOf(index), recordId]);
    const accepted = await Promise.all(
      orders.map(async ({ index, record, recordId }) => {
        if (record !== undefined) return { index, answer: { kind: 'accepted', record } as const };
        const item = this.#piece.items[index];
        if (item === undefined) throw new Error(`item ${String(index)} is missing`);
        const webhookUrl = item.request.include_webhook ?? itemWebhookUrl;
        const answer = await this.#deps.acceptItem({ caller, item, recordId, batchId, webhookUrl });
        return { index, answer };
      }),
    );
    const progress = accepted.flatMap(({ index, answer }): [number, ItemProgress][] => {
      if (answer.kind === 'accepted') return [[index, this.#progressOf(index, answer.record)]];
      if (answer.kind === 'refused') return [[index, { state: 'failed', failure: answer.failure }]];
      return [];
    });
    return {
      changed: await this.#note(progress),
      isBusy: accepted.some(({ answer }) => answer.kind === 'busy'),
      isUnpaid: accepted.some(({ answer }) => answer.kind === 'unpaid'),
    };
  }

  async #startedBefore(index: number): Promise<DownloadRecord | undefined> {
    for (const recordId of this.#triesOf(index)) {
      const record = await this.#deps.records.get(recordId);
      if (record !== undefined) return record;
    }
    return undefined;
  }

  #triesOf(index: number): readonly string[] {
    return this.#tries.get(index) ?? [];
  }

  #progressOf(index: number, record: DownloadRecord): ItemProgress {
    const known = this.#progress.get(index);
    const isOwn = this.#triesOf(index).includes(record.id);
    const isPaidElsewhere = known?.isPaidElsewhere ?? !isOwn;
    const followed = { recordId: record.id, ...(isPaidElsewhere && { isPaidElsewhere: true as const }) };
    if (record.status === 'pending') return { state: 'running', ...followed };
    const ended = { ...followed, cost: isPaidElsewhere ? 0 : chargeOf(record) };
    if (record.status === 'success') return { state: 'success', ...ended };
    const { code } = record.failure;
    const isCancelled = code === 'cancelled' && this.#batch.status === 'cancelling';
    const state = isCancelled ? 'cancelled' : this.#batch.skip.includes(code) ? 'skipped' : 'failed';
    return { state, ...ended, failure: record.failure };
  }

  async #note(progress: readonly (readonly [number, ItemProgress])[]): Promise<number> {
    await this.#deps.batches.noteProgress({ batchId: this.#batch.id, number: this.number }, progress);
    for (const [index, one] of progress) this.#progress.set(index, one);
    return progress.length;
  }
}

/** The record was removed, or the service was restored from an older copy. */
const LOST: ItemProgress = { state: 'failed', failure: failureFor('lostInRestore') };

function groupsOf<Item>(items: readonly Item[], size: number): Item[][] {
  const groups: Item[][] = [];
  for (let start = 0; start < items.length; start += size) groups.push(items.slice(start, start + size));
  return groups;
}
