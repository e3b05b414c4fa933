import type { PostContent } from '../imgnet/posts.ts';
import type { ReelContent } from '../imgnet/reels.ts';
import { formatMoney } from '../money.ts';
import { optional } from '../optional.ts';
import type { PendingRecord, SuccessRecord } from '../records.ts';
import type { Progress } from '../results/fields.ts';
import type { ImgnetContent, ImgnetContentPending } from '../results/imgnet-content.ts';
import type { LastResponse } from '../results/last-response.ts';
import { renderPending } from './jobs.ts';

/** A post or reel (specification, section 2.4). */
export function renderImgnetContent(record: SuccessRecord, content: PostContent | ReelContent): ImgnetContent {
  const cost = formatMoney(record.charge);
  return {
    ...content,
    status: 'success',
    source: 'api',
    cost,
    download: {
      id: record.id,
      media_id: record.mediaId,
      type: 'imgnet_post',
      cost,
      status: record.status,
      created_at: record.createdAt,
    },
  };
}

export function renderImgnetContentPending(
  record: PendingRecord,
  now: { readonly progress?: Progress | undefined; readonly lastResponse?: LastResponse | undefined },
): ImgnetContentPending {
  return {
    ...renderPending(record, 'The content is being fetched.', now.progress),
    ...optional('last_response', now.lastResponse),
  };
}
