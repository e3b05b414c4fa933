import type { ImgnetProfileFields } from '../imgnet/profile.ts';
import { formatMoney } from '../money.ts';
import { optional } from '../optional.ts';
import { listPrice, type Prices } from '../prices.ts';
import type { PendingRecord, SuccessRecord } from '../records.ts';
import type { Progress } from '../results/fields.ts';
import type { ImgnetProfile, ImgnetProfilePending } from '../results/imgnet-profile.ts';
import type { LastResponse } from '../results/last-response.ts';
import { renderPending } from './jobs.ts';

/** A profile (specification, section 2.2). The record's id is the id of its list. */
export function renderImgnetProfile(record: SuccessRecord, fields: ImgnetProfileFields, prices: Prices): ImgnetProfile {
  return {
    status: 'success',
    ...fields,
    ...listFields(record.id, prices, fields.posts_count),
    download: {
      id: record.id,
      media_id: record.mediaId,
      type: 'imgnet_profile',
      cost: formatMoney(record.charge),
      status: record.status,
      created_at: record.createdAt,
    },
  };
}

export function renderImgnetProfilePending(
  record: PendingRecord,
  prices: Prices,
  now: { readonly progress?: Progress | undefined; readonly lastResponse?: LastResponse | undefined },
): ImgnetProfilePending {
  return {
    ...renderPending(record, 'The profile is being fetched.', now.progress),
    ...listFields(record.id, prices, undefined),
    source: 'api',
    ...optional('last_response', now.lastResponse),
  };
}

function listFields(listId: string, prices: Prices, postsCount: number | undefined) {
  return { list_id: listId, list_cost: listPrice(prices, postsCount) / 1000 };
}
