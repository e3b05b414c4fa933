import type { Thousandths } from './money.ts';
import type { DownloadRecord } from './records.ts';

/** The part of a post's job that is a job of its own: the profile of its owner. */
export const OWNER_PROFILE_PART = 'owner-profile';

/**
 * What a download has cost: a success its charge, a failure nothing. A job that was stopped after a provider was asked for
 * something that the provider bills costs what it would have: otherwise whoever starts and cancels has us pay for nothing.
 */
export function chargeOf(record: DownloadRecord): Thousandths {
  if (record.status === 'success') return record.charge;
  const isCancelled = record.status === 'failed' && record.failure.code === 'cancelled';
  return isCancelled && isProviderAsked(record) ? priceOfAsked(record) : 0;
}

/** The price while a download is pending, what it has cost afterwards. */
export function costOf(record: DownloadRecord): Thousandths {
  return record.status === 'pending' ? record.price : chargeOf(record);
}

/** Whether a provider was asked for something of this download that it bills, and has not refused. */
export function isProviderAsked({ providerAsked = {} }: DownloadRecord): boolean {
  return Object.keys(providerAsked).length > 0;
}

function priceOfAsked({ price, parameters, providerAsked }: DownloadRecord): Thousandths {
  if (providerAsked?.[OWNER_PROFILE_PART] !== undefined) return price;
  return price - ((parameters as { readonly profilePrice?: Thousandths } | undefined)?.profilePrice ?? 0);
}
