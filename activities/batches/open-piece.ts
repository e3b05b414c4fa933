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
import { inGroups } from '../../runtime/in-groups.ts';
import { optional } from '../../runtime/optional.ts';
import type { BatchStore, PieceItem } from '../../store/records/batch-store.ts';
import type { RecordStore } from '../../store/records/record-store.ts';
import type { TakeSlot } from './batch-slots.ts';

export interface PieceDeps {
  readonly batches: BatchStore;
  readonly records: Pick<RecordStore, 'get' | 'noteInterest'>;
  /** Starts or joins the job of an item, as its single request does. */
  readonly acceptItem: (order: ItemOrder) => Promise<AcceptedItem>;
  readonly cancelItem: (record: PendingRecord) => Promise<void>;
  /** Ends a pending record whose workflow is gone. */
  readonly endIfGone: (record: PendingRecord) => Promise<DownloadRecord>;
}

interface PieceOptions {
  readonly batch: StoredBatch;
  readonly number: number;
  readonly signal: AbortSignal;
  /** Receives the number of items that have changed their state. */
  readonly onChange: (items: number) => void;
}

interface StartOptions {
  readonly caller: Caller;
  /** How many jobs may become open, of all operations together. */
  readonly jobs: number;
  readonly takeSlot: TakeSlot;
  /** How much they may cost. */
  readonly money: number;
}

/** A higher concurrency accepts no item sooner, and the engines have other requests to serve. */
const ACCEPTED_AT_ONCE = 8;
const READ_AT_ONCE = 16;

type NewProgress = readonly [item: PieceItem, progress: ItemProgress];

/** The record was removed, or the service was restored from an older copy. */
const LOST: ItemProgress = { state: 'failed', failure: failureFor('lostInRestore') };

export type OpenPiece = Awaited<ReturnType<typeof openPiece>>;

/** A piece of a batch with the progress of its items, whose changes it stores. */
export async function openPiece(deps: PieceDeps, { batch, number, signal, onChange }: PieceOptions) {
  const name = { batchId: batch.id, number };
  const items = await deps.batches.piece(name);
  const waiting = () => items.filter(({ progress }) => progress === undefined);
  const running = () => items.filter(({ progress }) => progress?.state === 'running');
  const recordOf = async ({ progress }: PieceItem): Promise<DownloadRecord | undefined> =>
    progress?.recordId === undefined ? undefined : deps.records.get(progress.recordId);
  const note = async (changes: readonly NewProgress[]): Promise<void> => {
    await deps.batches.noteProgress(
      name,
      changes.map(([{ index }, progress]) => [index, progress]),
    );
    for (const [item, progress] of changes) item.progress = progress;
    onChange(changes.length);
  };
  /** @returns whether all items were accepted, and if not, why */
  const accept = async (some: readonly PieceItem[], caller: Caller): Promise<ReadonlySet<AcceptedItem['kind']>> => {
    const orders = some.map((item) => ({ item, recordId: ulid() }));
    await deps.batches.noteTries(
      name,
      orders.map(({ item, recordId }) => [item.index, recordId]),
    );
    const answers = await Promise.all(
      orders.map(async ({ item, recordId }): Promise<AcceptedItem> => {
        // If an earlier attempt has started a job, its record tells so, and another request for its subject would be a new job.
        const record = await startedBefore(deps, item);
        item.tries.push(recordId);
        if (record !== undefined) return { kind: 'accepted', record };
        const webhookUrl = item.request.include_webhook ?? batch.itemWebhookUrl;
        return deps.acceptItem({ caller, item, recordId, batchId: batch.id, webhookUrl });
      }),
    );
    await note(
      answers.flatMap((answer, index): NewProgress[] => {
        const item = some[index];
        if (item === undefined) return [];
        if (answer.kind === 'accepted') return [[item, progressOf(batch, item, answer.record)]];
        return answer.kind === 'refused' ? [[item, { state: 'failed', failure: answer.failure }]] : [];
      }),
    );
    return new Set(answers.map(({ kind }) => kind));
  };
  return {
    number,
    running,
    totals: (): BatchTotals => items.map(totalsOf).reduce(addTotals, NO_TOTALS),
    hasWaiting: (): boolean => waiting().length > 0,
    isOver: (): boolean => waiting().length + running().length === 0,

    /** @param among the IDs of the records that are read; default: those of all running items */
    async settle(isThorough: boolean, among?: ReadonlySet<string>): Promise<void> {
      const ended: NewProgress[] = [];
      const some = running().filter(({ progress }) => among === undefined || among.has(progress?.recordId ?? ''));
      await inGroups(some, READ_AT_ONCE, async (item) => {
        signal.throwIfAborted();
        let record = await recordOf(item);
        if (isThorough && record?.status === 'pending') record = await deps.endIfGone(record);
        if (record === undefined && !isThorough) return;
        const now = record === undefined ? LOST : progressOf(batch, item, record);
        if (now.state !== 'running') ended.push([item, now]);
      });
      await note(ended);
    },

    /**
     * Starts waiting items in their order, but leaves out those whose upstream has no free slot.
     *
     * @returns why the next item cannot be started
     */
    async start({ caller, jobs, takeSlot, money }: StartOptions): Promise<PauseReason | undefined> {
      let left = money;
      const chosen: PieceItem[] = [];
      let blocked: PauseReason | undefined;
      for (const item of waiting()) {
        if (chosen.length >= jobs) break;
        if (item.price > left) {
          blocked = 'max_cost';
          break;
        }
        if (!(await takeSlot(item.request.operation))) continue;
        left -= item.price;
        chosen.push(item);
      }
      while (chosen.length > 0) {
        signal.throwIfAborted();
        const answers = await accept(chosen.splice(0, ACCEPTED_AT_ONCE), caller);
        if (answers.has('unpaid')) return 'insufficient_credit';
        if (answers.has('busy')) return undefined;
      }
      return blocked;
    },

    /** Cancels all waiting items, and the running jobs that this batch has started, except those for which others wait. */
    async cancel(): Promise<void> {
      const left: NewProgress[] = [];
      for (const item of items) {
        const { state = 'waiting', recordId, isPaidElsewhere = false } = item.progress ?? {};
        if (state === 'waiting' || (state === 'running' && isPaidElsewhere)) {
          left.push([item, { state: 'cancelled', ...optional('recordId', recordId) }]);
        } else if (state === 'running') {
          const record = await recordOf(item);
          if (record?.status !== 'pending') continue;
          if ((await deps.records.noteInterest(record.id, 'abandoned')) === 'abandoned') await deps.cancelItem(record);
        }
      }
      await note(left);
    },
  };
}

async function startedBefore({ records }: PieceDeps, { tries }: PieceItem): Promise<DownloadRecord | undefined> {
  for (const recordId of tries) {
    const record = await records.get(recordId);
    if (record !== undefined) return record;
  }
  return undefined;
}

function progressOf(
  { status, skip }: StoredBatch,
  { progress, tries }: PieceItem,
  record: DownloadRecord,
): ItemProgress {
  const isPaidElsewhere = progress?.isPaidElsewhere ?? !tries.includes(record.id);
  const followed = { recordId: record.id, ...(isPaidElsewhere && { isPaidElsewhere }) };
  if (record.status === 'pending') return { state: 'running', ...followed };
  const ended = { ...followed, cost: isPaidElsewhere ? 0 : chargeOf(record) };
  if (record.status === 'success') return { state: 'success', ...ended };
  const { code } = record.failure;
  const isCancelled = code === 'cancelled' && status === 'cancelling';
  const state = isCancelled ? 'cancelled' : skip.includes(code) ? 'skipped' : 'failed';
  return { state, ...ended, failure: record.failure };
}

function totalsOf({ price, progress }: PieceItem): BatchTotals {
  const { state = 'waiting', cost = 0, isPaidElsewhere = false } = progress ?? {};
  const isOpen = (state === 'waiting' || state === 'running') && !isPaidElsewhere;
  return { counts: { ...NO_TOTALS.counts, [state]: 1 }, spent: cost, open: isOpen ? price : 0 };
}
