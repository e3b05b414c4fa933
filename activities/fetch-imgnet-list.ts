import type { ListParameters } from '../contract/kinds/imgnet-list.ts';
import { postItemOf } from '../sources/imgnet/records/posts.ts';
import type { PostItem, ReelItem } from '../contract/imgnet-media.ts';
import { isReelRecord, type ItemContext } from '../sources/imgnet/records/publication.ts';
import { reelItemOf } from '../sources/imgnet/records/reels.ts';
import type { ImgnetRecord } from '../sources/imgnet/records/record-readers.ts';
import type { JobResult } from '../contract/records.ts';
import type { ContentsStore } from '../store/contents.ts';
import { readSnapshot, type ReadySnapshot, type SnapshotDeps } from './imgnet-snapshots.ts';

export interface ImgnetListDeps extends SnapshotDeps {
  readonly contents: ContentsStore;
}

export interface ListOrder extends Pick<ListParameters, 'part' | 'sinceDate' | 'postsCount'> {
  readonly account: string;
  readonly snapshot: ReadySnapshot;
}

export function createImgnetListActivity(deps: ImgnetListDeps) {
  return {
    /**
     * Keeps a part of a list in pieces, while it arrives: of thousands of items only a page is held. A repeated run
     * replaces what an earlier one wrote.
     */
    storeList: (order: ListOrder): Promise<JobResult> =>
      readSnapshot(deps, order.snapshot, async (pages, report) => {
        const { recordId } = order.snapshot;
        let pieces = 0;
        let items = 0;
        for await (const { rows } of pages) {
          const page = rows.flatMap(({ record }) => itemOf(record, order, deps.imgnetPlatform) ?? []);
          if (page.length > 0) {
            pieces += 1;
            items += page.length;
            await deps.contents.putPiece({ recordId, name: order.part, number: pieces }, page);
          }
          report({ stage: 'listing', items });
        }
        return { lists: { [order.part]: { pieces, items } } };
      }),
  };
}

/** @returns undefined for what is not in this list */
function itemOf(
  record: ImgnetRecord,
  { part, account, sinceDate }: ListOrder,
  platform: Pick<ItemContext, 'platformUrl' | 'hosts'>,
): PostItem | ReelItem | undefined {
  // The dataset of posts gives reels too, which the other part has.
  if (part === 'posts' && isReelRecord(record, platform.hosts)) return undefined;
  const item = (part === 'posts' ? postItemOf : reelItemOf)(record, { account, ...platform });
  // An item without a date is kept: upstream has chosen it.
  const isOld = sinceDate !== undefined && item?.date_posted !== undefined && item.date_posted < sinceDate;
  return isOld ? undefined : item;
}
