import type { Starter } from '../download-record.ts';
import type { Failure, FailureCode } from '../failures.ts';
import type { EntryFilter } from '../lists/entry-filter.ts';
import type { EachEntry } from '../lists/entry-request.ts';
import type { ListReference } from '../lists/list-entry.ts';
import type { Thousandths } from '../money.ts';

/** `skipped`: failed with a code that the request has named. */
export const itemStates = ['waiting', 'running', 'success', 'failed', 'skipped', 'cancelled'] as const;
export type ItemState = (typeof itemStates)[number];
export type ItemCounts = Readonly<Record<ItemState, number>>;

export const batchStatuses = ['listing', 'running', 'paused', 'cancelling', 'cancelled', 'finished', 'failed'] as const;
export type BatchStatus = (typeof batchStatuses)[number];

/** Why a batch is paused. */
export const PAUSES = {
  max_cost: 'The next item would make the batch cost more than its max_cost.',
  insufficient_credit: 'The API key has too little credit for the next item.',
  key_revoked: 'The API key that started the batch was revoked.',
  stopped_by_operator: 'The batch was stopped by an operator.',
} as const;
export type PauseReason = keyof typeof PAUSES;

/** The state of an item that has been started; an item without one waits. */
export interface ItemProgress {
  readonly state: Exclude<ItemState, 'waiting'>;
  /** The record that the item follows. */
  readonly recordId?: string;
  /** Set if another request pays for the job. */
  readonly isPaidElsewhere?: true;
  /** The charge for the item; 0 if another request pays for its job. */
  readonly cost?: Thousandths;
  readonly failure?: { readonly code: string; readonly message: string };
}

export function forEachState<Value>(value: Value): Record<ItemState, Value> {
  return Object.fromEntries(itemStates.map((state) => [state, value])) as Record<ItemState, Value>;
}

/** Sums over items. */
export interface BatchTotals {
  readonly counts: ItemCounts;
  readonly spent: Thousandths;
  /** The prices of the items that have not ended, without those for which another request pays. */
  readonly open: Thousandths;
}

export const NO_TOTALS: BatchTotals = {
  counts: forEachState(0),
  spent: 0,
  open: 0,
};

/** How far a batch is. */
export interface BatchPosition {
  /** The pieces that have been begun and have items that have not ended. */
  readonly open: readonly number[];
  /** The first piece that has not been begun. */
  readonly next: number;
  /** The sums over all pieces whose items have ended. */
  readonly ended: BatchTotals;
}

export const START_POSITION: BatchPosition = { open: [], next: 1, ended: NO_TOTALS };

export function addTotals(one: BatchTotals, other: BatchTotals): BatchTotals {
  const counts = Object.fromEntries(
    Object.entries(one.counts).map(([state, count]) => [state, count + other.counts[state as ItemState]]),
  );
  return { counts: counts as Record<ItemState, number>, spent: one.spent + other.spent, open: one.open + other.open };
}

export function endedIn({ success, failed, skipped, cancelled }: ItemCounts): number {
  return success + failed + skipped + cancelled;
}

/** How far a batch was at a time. */
export interface RateMark {
  readonly atMs: number;
  readonly ended: number;
}

/** The costs of the list of a profile in one run of a workflow. A repeated attempt of the run replaces them. */
export interface ListRun {
  readonly id: string;
  readonly createdAtMs: number;
  readonly cost: Thousandths;
}

/** The list whose entries become the items of a batch. */
export interface BatchSource {
  /** As in the request. */
  readonly url: string;
  readonly list: ListReference;
  readonly each: EachEntry;
  readonly filter: EntryFilter;
  readonly limit: number;
  readonly order: 'newest' | 'oldest';
  /** Whether the items are stored. */
  readonly isListed: boolean;
}

export interface StoredBatch extends BatchTotals {
  /** ULID; also the `_id` of the document. */
  readonly id: string;
  readonly startedBy: Starter;
  readonly name?: string;
  /** ISO 8601 UTC with microseconds. */
  readonly createdAt: string;
  readonly items: number;
  /** The sum of the prices in each piece. */
  readonly piecePrices: readonly Thousandths[];
  readonly position: BatchPosition;
  readonly source?: BatchSource;
  /** For a profile: the charges of the jobs that collect its list, and the prices of those that run; at first the least price. */
  readonly listCost?: Thousandths;
  readonly listRun?: ListRun;
  /** The subscription whose new entries are the items. */
  readonly subscriptionId?: string;
  readonly maxCost?: Thousandths;
  readonly skip: readonly FailureCode[];
  /** They are never shown, because they may contain secrets. */
  readonly webhookUrl?: string;
  readonly itemWebhookUrl?: string;
  readonly status: BatchStatus;
  /** The number of its next end, which is that of the webhook. */
  readonly end: number;
  readonly pause?: PauseReason;
  /** Why its list could not be read. */
  readonly failure?: Failure;
  readonly finishedAt?: string;
  /** When the workflow of the batch has written last, in milliseconds since 1970. */
  readonly updatedAtMs: number;
  /** Some of the last minutes, oldest first. */
  readonly marks: readonly RateMark[];
}

/** A batch without items. */
export function newBatch(
  fields: Pick<StoredBatch, 'id' | 'startedBy' | 'createdAt' | 'updatedAtMs'> & Partial<StoredBatch>,
): StoredBatch {
  const none = { items: 0, piecePrices: [], position: START_POSITION, skip: [], marks: [] };
  return { ...NO_TOTALS, ...none, status: 'running', end: 1, ...fields };
}

export function isEnded({ status }: Pick<StoredBatch, 'status'>): boolean {
  return status === 'finished' || status === 'cancelled' || status === 'failed';
}

/** `X-Webhook-Endpoint` of the webhook at the end of a batch. */
export const BATCH_ENDPOINT = 'batches';

/** The archive of a batch, which is also the name of the file in its signed link. */
export const BATCH_ARCHIVE = { name: 'archive.zip', contentType: 'application/zip' } as const;

/** The priority key of its jobs, behind that of single requests, which have the default 3, so that it delays none of them. */
export const BATCH_PRIORITY = 4;

/** The ID of the workflow of a batch. */
export function batchWorkflowIdOf(batchId: string): string {
  return `batch/${batchId}`;
}
