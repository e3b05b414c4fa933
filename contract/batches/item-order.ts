import type { DownloadRecord } from '../download-record.ts';
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

/** `refused`: the item has failed; `busy`: the service cannot accept jobs at the moment; `unpaid`: the credit does not suffice. */
export type AcceptedItem =
  | { readonly kind: 'accepted'; readonly record: DownloadRecord }
  | { readonly kind: 'refused'; readonly failure: { readonly code: string; readonly message: string } }
  | { readonly kind: 'busy' | 'unpaid' };
