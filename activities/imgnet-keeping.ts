import { accountOf, type PostReference } from '../contract/imgnet-urls.ts';
import type { ListParameters } from '../contract/kinds/imgnet-list.ts';
import type { PostItem, ReelItem } from '../contract/imgnet-media.ts';
import type { JobResult } from '../contract/records.ts';
import { subjectIdOf } from '../contract/subjects.ts';
import { onlyRecordOf } from '../sources/imgnet/imgnet-source.ts';
import type { ContentsStore } from '../store/contents.ts';
import type { RecordStore } from '../store/records.ts';
import { readSnapshot, type ReadySnapshot, type SnapshotDeps } from './imgnet-snapshots.ts';

interface KeepingDeps extends SnapshotDeps {
  readonly contents: ContentsStore;
  readonly records: Pick<RecordStore, 'noteContents' | 'noteOwner'>;
}

/** What the job of a post goes on with. */
export interface StoredContent {
  /** Whose it is, in lower case; absent when its record does not tell, or names what no account can be called. */
  readonly account?: string | undefined;
}

export interface ListOrder extends Pick<ListParameters, 'part' | 'sinceDate' | 'since' | 'postsCount'> {
  readonly account: string;
  readonly snapshot: ReadySnapshot;
}

/** More than profiles show. */
const SHOWN_POSTS_MAX = 50;

/** What keeps the data of a snapshot beside the record of its job. All may be repeated. */
export function createKeepingActivities(deps: KeepingDeps) {
  const { imgnet, contents, records } = deps;
  return {
    /** Keeps a post or reel. */
    storeContent: ({ snapshot, post }: { snapshot: ReadySnapshot; post: PostReference }): Promise<StoredContent> =>
      readSnapshot(deps, snapshot, async (pages) => {
        const content = imgnet.facts.content(await onlyRecordOf(pages), post.kind);
        await contents.putFacts(snapshot.recordId, content);
        // It is paid for: whoever asks for the audio next, after a failure too, needs no further snapshot.
        const subjectId = subjectIdOf('imgnet_audio', post.shortcode);
        await records.noteContents(subjectId, snapshot.recordId);
        // What the provider calls an account becomes the subject of another job, if it can be one.
        const account = accountOf(content.account ?? '');
        if (account !== undefined) await records.noteOwner(subjectId, account);
        return { account };
      }),

    /** Keeps a profile, and whose the posts are that it shows. */
    storeProfile: ({ snapshot, account }: { snapshot: ReadySnapshot; account: string }): Promise<JobResult> =>
      readSnapshot(deps, snapshot, async (pages) => {
        const record = await onlyRecordOf(pages);
        await contents.putFacts(snapshot.recordId, imgnet.facts.profile(record, account));
        const shortcodes = imgnet.facts.shownPosts(record).slice(0, SHOWN_POSTS_MAX);
        await Promise.all(shortcodes.map((code) => records.noteOwner(subjectIdOf('imgnet_audio', code), account)));
        return {};
      }),

    /** Keeps a part of a list in pieces, while it arrives: of thousands of items only a page is held. */
    storeList: (order: ListOrder): Promise<JobResult> =>
      readSnapshot(deps, order.snapshot, async (pages, report) => {
        const { recordId } = order.snapshot;
        let pieces = 0;
        let items = 0;
        for await (const { rows } of pages) {
          const page = rows
            .flatMap(({ record }) => imgnet.facts.item(record, order) ?? [])
            .filter((item) => !isOld(item, order));
          if (page.length > 0) {
            pieces += 1;
            items += page.length;
            await contents.putPiece({ recordId, name: order.part, number: pieces }, page);
          }
          report({ stage: 'listing', items });
        }
        return { lists: { [order.part]: { pieces, items } } };
      }),
  };
}

/** An item without a date is kept: upstream has chosen it. */
function isOld({ date_posted }: PostItem | ReelItem, { since, sinceDate }: ListOrder): boolean {
  const first = since ?? sinceDate;
  return first !== undefined && date_posted !== undefined && Date.parse(date_posted) < Date.parse(first);
}
