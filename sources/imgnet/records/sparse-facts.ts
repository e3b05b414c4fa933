import { JobError } from '../../../runtime/job-error.ts';
import type { PostItem, ReelItem } from '../../../contract/kinds/imgnet-media.ts';
import type { PostReference } from '../../../contract/urls/imgnet-urls.ts';
import type { ContentFacts } from '../../../contract/kinds/imgnet-content.ts';
import { imgnetProfileFieldsOf } from './profile.ts';
import {
  isReelRecord,
  postContentOf,
  postItemOf,
  reelContentOf,
  reelItemOf,
  shortcodeOf,
  type ImgnetPlatform,
} from './items.ts';
import { listOf, recordOf, type ImgnetRecord } from './record-readers.ts';

/** Translates the provider's records into facts, which have the shape of the answers. */
export type ImgnetFacts = ReturnType<typeof brightDataFacts>;

/** Translates Bright Data's records. The dataset of posts also has reels, so the kind is read from the record. */
export function brightDataFacts(platform: ImgnetPlatform) {
  return {
    /** @param account the requested account, in lower case */
    profile: (record: ImgnetRecord, account: string) => imgnetProfileFieldsOf(record, { account, ...platform }),
    /** The shortcodes of the account's posts that the record of its profile shows. */
    shownPosts: (record: ImgnetRecord) =>
      listOf(record['posts'], (entry) => shortcodeOf(recordOf(entry) ?? {}, platform.hosts)) ?? [],
    /** @param kind the requested kind @throws JobError for a record that names no post */
    content: (record: ImgnetRecord, kind: PostReference['kind']): ContentFacts => {
      const isReel = kind === 'reel' || isReelRecord(record, platform.hosts);
      const content = isReel ? reelContentOf(record, platform) : postContentOf(record, platform);
      if (content !== undefined) return content;
      throw new JobError('datasetRecordUnnamed');
    },
    /** @returns undefined for what is not in this part of an account's list */
    item: (
      record: ImgnetRecord,
      { part, account }: { part: 'posts' | 'reels'; account: string },
    ): PostItem | ReelItem | undefined => {
      const context = { account, ...platform };
      if (part === 'reels') return reelItemOf(record, context);
      return isReelRecord(record, platform.hosts) ? undefined : postItemOf(record, context);
    },
  };
}
