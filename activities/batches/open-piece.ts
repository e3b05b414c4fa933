import { ulid } from 'ulid';
import {
  addTotals,
  NO_TOTALS,
  type BatchTotals,
  type ItemProgress,
  type PauseReason,
  type StoredBatch,
} from '../../contract/batches/batch-state.ts';
import type { DownloadRecord, PendingRecord } from '../../contract/download-record.ts';
import type { Caller } from '../../contract/http/account-schemas.ts';
import type { AcceptedItem, ItemOrder } from '../../contract/batches/item-order.ts';
import { chargeOf } from '../../contract/kinds/charges.ts';
import { failureFor } from '../../contract/failures.ts';
import { optional } from '../../runtime/optional.ts';
import type { BatchStore, PieceItem } from '../../store/records/batch-store.ts';
import type { RecordStore } from '../../store/records/record-store.ts';
import type { TakeSlot } from './batch-slots.ts';

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

export interface Started {
  readonly changed: number;
  /** Why the next item cannot be started. */
  readonly blocked?: PauseReason;
}

/** A higher concurrency accepts no item sooner, and the engines have other requests to serve. */
const ACCEPTED_AT_ONCE = 8;
const READ_AT_ONCE = 16;

type NewProgress = readonly [item: PieceItem, progress: ItemProgress];

/** The record was removed, or the service was restored from an older copy. */
const LOST: ItemProgress = { state: 'failed', failure: failureFor('lostInRestore') };

/** A piece of a batch with the progress of its items, whose changes it stores. */
export class OpenPiece {
  readonly number: number;
  readonly #deps: PieceDeps;
  readonly #batch: StoredBatch;
  readonly #items: readonly PieceItem[];

  static async load(deps: PieceDeps, batch: StoredBatch, number: number): Promise<OpenPiece> {
    return new OpenPiece(deps, batch, { number, items: await deps.batches.piece({ batchId: batch.id, number }) });
  }

  private constructor(
    deps: PieceDeps,
    batch: StoredBatch,
    { number, items }: { readonly number: number; readonly items: readonly PieceItem[] },
  ) {
    this.number = number;
    this.#deps = deps;
    this.#batch = batch;
    this.#items = items;
  }

  get totals(): BatchTotals {
    return this.#items.map(totalsOf).reduce(addTotals, NO_TOTALS);
  }

  get running(): readonly PieceItem[] {
    return this.#items.filter(({ progress }) => progress?.state === 'running');
  }

  hasWaiting(): boolean {
    return this.#items.some(isWaiting);
  }

  isOver(): boolean {
    return !this.hasWaiting() && this.running.length === 0;
  }

  /** Reads the records of running items. @returns the number of items that have ended */
  async settle(isThorough: boolean, signal: AbortSignal): Promise<number> {
    const ended: NewProgress[] = [];
    for (const some of groupsOf(this.running, READ_AT_ONCE)) {
      signal.throwIfAborted();
      await Promise.all(
        some.map(async (item) => {
          let record = await this.#recordOf(item);
          if (isThorough && record?.status === 'pending') record = await this.#deps.endIfGone(record);
          if (record === undefined && !isThorough) return;
          const now = record === undefined ? LOST : this.#progressOf(item, record);
          if (now.state !== 'running') ended.push([item, now]);
        }),
      );
    }
    return this.#note(ended);
  }

  /** Starts waiting items in their order, but leaves out those whose upstream has no free slot. */
  async start(options: StartOptions): Promise<Started> {
    let { money } = options;
    let changed = 0;
    const chosen: PieceItem[] = [];
    let blocked: PauseReason | undefined;
    for (const item of this.#items.filter(isWaiting)) {
      if (chosen.length >= options.jobs) break;
      if (item.price > money) {
        blocked = 'max_cost';
        break;
      }
      if (!(await options.takeSlot(item.request.operation))) continue;
      money -= item.price;
      chosen.push(item);
    }
    for (const some of groupsOf(chosen, ACCEPTED_AT_ONCE)) {
      options.signal.throwIfAborted();
      const accepted = await this.#accept(some, options.caller);
      changed += accepted.changed;
      if (accepted.kinds.has('unpaid')) return { changed, blocked: 'insufficient_credit' };
      if (accepted.kinds.has('busy')) return { changed };
    }
    return { changed, ...optional('blocked', blocked) };
  }

  /** Cancels the running jobs that this batch has started, and all waiting items. @returns the number of changed items */
  async cancel(): Promise<number> {
    const left: NewProgress[] = [];
    for (const item of this.#items) {
      const { state = 'waiting', recordId, isPaidElsewhere = false } = item.progress ?? {};
      if (state === 'waiting' || (state === 'running' && isPaidElsewhere)) {
        left.push([item, { state: 'cancelled', ...optional('recordId', recordId) }]);
      } else if (state === 'running') {
        const record = await this.#recordOf(item);
        if (record?.status === 'pending') await this.#deps.cancelItem(record);
      }
    }
    return this.#note(left);
  }

  async #recordOf({ progress }: PieceItem): Promise<DownloadRecord | undefined> {
    return progress?.recordId === undefined ? undefined : this.#deps.records.get(progress.recordId);
  }

  async #accept(items: readonly PieceItem[], caller: Caller) {
    const { id: batchId, itemWebhookUrl } = this.#batch;
    const orders = items.map((item) => ({ item, recordId: ulid() }));
    await this.#deps.batches.noteTries(
      { batchId, number: this.number },
      orders.map(({ item, recordId }) => [item.index, recordId]),
    );
    const kinds = new Set<AcceptedItem['kind']>();
    const progress: NewProgress[] = [];
    await Promise.all(
      orders.map(async ({ item, recordId }) => {
        // If an earlier attempt has started a job, its record tells so, and another request for its subject would be a new job.
        const record = await this.#startedBefore(item);
        item.tries.push(recordId);
        const webhookUrl = item.request.include_webhook ?? itemWebhookUrl;
        const answer: AcceptedItem =
          record === undefined
            ? await this.#deps.acceptItem({ caller, item, recordId, batchId, webhookUrl })
            : { kind: 'accepted', record };
        kinds.add(answer.kind);
        if (answer.kind === 'accepted') progress.push([item, this.#progressOf(item, answer.record)]);
        if (answer.kind === 'refused') progress.push([item, { state: 'failed', failure: answer.failure }]);
      }),
    );
    return { changed: await this.#note(progress), kinds };
  }

  async #startedBefore({ tries }: PieceItem): Promise<DownloadRecord | undefined> {
    for (const recordId of tries) {
      const record = await this.#deps.records.get(recordId);
      if (record !== undefined) return record;
    }
    return undefined;
  }

  #progressOf({ progress, tries }: PieceItem, record: DownloadRecord): ItemProgress {
    const isPaidElsewhere = progress?.isPaidElsewhere ?? !tries.includes(record.id);
    const followed = { recordId: record.id, ...(isPaidElsewhere && { isPaidElsewhere }) };
    if (record.status === 'pending') return { state: 'running', ...followed };
    const ended = { ...followed, cost: isPaidElsewhere ? 0 : chargeOf(record) };
    if (record.status === 'success') return { state: 'success', ...ended };
    const { code } = record.failure;
    const isCancelled = code === 'cancelled' && this.#batch.status === 'cancelling';
    const state = isCancelled ? 'cancelled' : this.#batch.skip.includes(code) ? 'skipped' : 'failed';
    return { state, ...ended, failure: record.failure };
  }

  async #note(changes: readonly NewProgress[]): Promise<number> {
    await this.#deps.batches.noteProgress(
      { batchId: this.#batch.id, number: this.number },
      changes.map(([{ index }, progress]) => [index, progress]),
    );
    for (const [item, progress] of changes) item.progress = progress;
    return changes.length;
  }
}

function isWaiting({ progress }: PieceItem): boolean {
  return progress === undefined;
}

function totalsOf({ price, progress }: PieceItem): BatchTotals {
  const { state = 'waiting', cost = 0, isPaidElsewhere = false } = progress ?? {};
  const isOpen = (state === 'waiting' || state === 'running') && !isPaidElsewhere;
  return { counts: { ...NO_TOTALS.counts, [state]: 1 }, spent: cost, open: isOpen ? price : 0 };
}

function groupsOf<Item>(items: readonly Item[], size: number): Item[][] {
  const groups: Item[][] = [];
  for (let start = 0; start < items.length; start += size) groups.push(items.slice(start, start + size));
  return groups;
}
