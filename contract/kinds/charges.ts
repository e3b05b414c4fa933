import type { Thousandths } from '../money.ts';
import type { DownloadRecord } from '../download-record.ts';

/** The profile of a post's owner, which a post's job fetches by a job of its own. */
export const OWNER_PROFILE_PART = 'owner-profile';

/**
 * The charge of a download: a success has its own, a failure is free. A job that was cancelled after a provider was called that
 * bills each request is charged in full, because a caller could otherwise start and cancel jobs at the operator's expense.
 */
export function chargeOf(record: DownloadRecord): Thousandths {
  if (record.status === 'success') return record.charge;
  const isCancelled = record.status === 'failed' && record.failure.code === 'cancelled';
  return isCancelled && wasProviderCalled(record) ? priceOfCalls(record) : 0;
}

/** The price while a download is pending, its charge afterwards. */
export function costOf(record: DownloadRecord): Thousandths {
  return record.status === 'pending' ? record.price : chargeOf(record);
}

/** Whether a provider that bills each request was called for this download and did not refuse. */
export function wasProviderCalled({ providerCalls = {} }: DownloadRecord): boolean {
  return Object.keys(providerCalls).length > 0;
}

function priceOfCalls({ price, parameters, providerCalls }: DownloadRecord): Thousandths {
  if (providerCalls?.[OWNER_PROFILE_PART] !== undefined) return price;
  return price - ((parameters as { readonly profilePrice?: Thousandths } | undefined)?.profilePrice ?? 0);
}
