import { imgnetContent } from '../contract/kinds/imgnet-content.ts';
import { postSubjectOf, subjectIdOf } from '../contract/subjects.ts';
import type { FileStore } from '../store/files.ts';
import type { RecordStore } from '../store/records.ts';
import { isReusable } from '../store/reuse.ts';

export interface KnownPostDeps {
  readonly records: RecordStore;
  readonly files: FileStore;
}

export function createKnownPostActivities({ records, files }: KnownPostDeps) {
  return {
    /** @returns the record beside which the content of a post is kept, by whichever URL it was fetched; undefined when none is fresh */
    findFreshContent: async (shortcode: string): Promise<string | undefined> => {
      for (const kind of ['post', 'reel'] as const) {
        const success = await records.successOf(postSubjectOf({ kind, shortcode }));
        if (success !== undefined && (await isReusable(success, files))) return success.id;
      }
      const sent = await records.contentsOf(subjectIdOf('imgnet_audio', shortcode));
      const isFresh = sent !== undefined && Date.now() < sent.keptAtMs + imgnetContent.freshness * 1000;
      return isFresh ? sent.recordId : undefined;
    },
  };
}
