import { JobError } from '../../../runtime/job-error.ts';
import type { ImgnetFacts } from '../imgnet-source.ts';
import { imgnetProfileFieldsOf } from './profile.ts';
import { isReelRecord, postContentOf, postItemOf, reelContentOf, reelItemOf, shortcodeOf } from './items.ts';
import { listOf, recordOf } from './record-readers.ts';

export interface ImgnetPlatform {
  /** Without a slash at the end. */
  readonly platformUrl: string;
  /** Hosts beside the real ones, with port. */
  readonly hosts: readonly string[];
}

/** Translates Bright Data's records. The dataset of posts also has reels, so the kind is read from the record. */
export function brightDataFacts(platform: ImgnetPlatform): ImgnetFacts {
  return {
    profile: (record, account) => imgnetProfileFieldsOf(record, { account, ...platform }),
    shownPosts: (record) =>
      listOf(record['posts'], (entry) => shortcodeOf(recordOf(entry) ?? {}, platform.hosts)) ?? [],
    content: (record, kind) => {
      const isReel = kind === 'reel' || isReelRecord(record, platform.hosts);
      const content = isReel ? reelContentOf(record, platform) : postContentOf(record, platform);
      if (content !== undefined) return content;
      throw new JobError('datasetRecordUnnamed');
    },
    item: (record, { part, account }) => {
      const context = { account, ...platform };
      if (part === 'reels') return reelItemOf(record, context);
      return isReelRecord(record, platform.hosts) ? undefined : postItemOf(record, context);
    },
  };
}
