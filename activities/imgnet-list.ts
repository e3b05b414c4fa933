import { wholeItems, type PostItem, type ReelItem } from '../contract/kinds/imgnet-media.ts';
import type { ListParameters } from '../contract/kinds/imgnet-list-job.ts';
import { subjectIdOf } from '../contract/kinds/subjects.ts';
import { accountOf } from '../contract/urls/imgnet-urls.ts';
import type { JobResult, StoredList } from '../contract/download-record.ts';
import { readSnapshot, type KeepingDeps, type ReadySnapshot } from './imgnet-snapshots.ts';

export interface ListOrder extends Pick<ListParameters, 'part' | 'sinceDate' | 'since' | 'postsCount'> {
  readonly account: string;
  readonly snapshot: ReadySnapshot;
}

export function createListActivity(deps: KeepingDeps) {
  const { imgnet, contents, records } = deps;
  return {
    /** Stores a part of a list in pieces while it arrives, so that only one page is in memory. */
    storeList: (order: ListOrder): Promise<JobResult> =>
      readSnapshot(deps, order.snapshot, async (pages, report) => {
        const { recordId } = order.snapshot;
        const complete = wholeItems[order.part] as (item: PostItem | ReelItem) => object;
        let stored: StoredList = { pieces: 0, items: 0 };
        const append = contents.appendTo({ recordId, name: order.part }, stored);
        for await (const { rows } of pages) {
          const page = rows
            .flatMap(({ record }) => imgnet.facts.item(record, order) ?? [])
            .filter((item) => !isOld(item, order));
          if (page.length > 0) {
            stored = await append(page.map(complete));
            await records.noteOwners(
              page.map((item) => [subjectIdOf('imgnet_audio', item.shortcode), ownerIn(item, order)]),
            );
          }
          report({ stage: 'listing', items: stored.items });
        }
        return { lists: { [order.part]: stored } };
      }),
  };
}

/** A list also has posts that a co-author has published. */
function ownerIn({ user_posted }: PostItem | ReelItem, { account }: ListOrder): string {
  return accountOf(user_posted ?? '') ?? account;
}

/** An item without a date is stored, because the provider selected it by date. */
function isOld({ date_posted }: PostItem | ReelItem, { since, sinceDate }: ListOrder): boolean {
  const first = since ?? sinceDate;
  return first !== undefined && date_posted !== undefined && Date.parse(date_posted) < Date.parse(first);
}
