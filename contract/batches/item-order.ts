import type { DownloadRecord } from '../download-record.ts';
import type { Failure } from '../failures.ts';
import type { Caller } from '../http/account-schemas.ts';
import type { Thousandths } from '../money.ts';
import type { BatchItemRequest } from './batch-item.ts';

/** An item as it is stored: what it means and costs was found out when the batch was accepted. */
export interface BatchItem {
  readonly request: BatchItemRequest;
  readonly subjectId: string;
  readonly price: Thousandths;
}

export interface ItemOrder {
  readonly caller: Caller;
  readonly item: BatchItem;
  /** The ID of the record if this order starts the job. */
  readonly recordId: string;
  /** Absent for a request by Nexus. */
  readonly batchId?: string;
  readonly webhookUrl: string | undefined;
}

/** The order of the posts and reels of a profile. Repeated orders with the same seed and time find their jobs again. */
export interface ProfileOrder {
  readonly caller: Caller;
  readonly account: string;
  readonly batchId: string;
  readonly seed: string;
  readonly createdAtMs: number;
  /** How much they may cost. */
  readonly money: Thousandths;
}

export interface CollectedProfile {
  /** The charges of the jobs that the order has started, and the prices of those that run. */
  readonly cost: Thousandths;
  /** Why a job was not started, or the profile if it is pending or has failed, or else the posts and the reels. */
  readonly jobs: Failure | readonly DownloadRecord[];
}

/** `refused`: the item has failed; `busy`: the service cannot accept jobs at the moment; `unpaid`: the credit does not suffice. */
export type AcceptedItem =
  | { readonly kind: 'accepted'; readonly record: DownloadRecord }
  | { readonly kind: 'refused'; readonly failure: { readonly code: string; readonly message: string } }
  | { readonly kind: 'busy' | 'unpaid' };
