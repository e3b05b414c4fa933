import type { JobResult } from '../contract/download-record.ts';
import { subjectIdOf } from '../contract/kinds/subjects.ts';
import { onlyRecordOf } from '../sources/imgnet/imgnet-source.ts';
import { readSnapshot, type KeepingDeps, type ReadySnapshot } from './imgnet-snapshots.ts';

const SHOWN_POSTS_MAX = 50;

export function createProfileActivity(deps: KeepingDeps) {
  const { imgnet, contents, records } = deps;
  return {
    storeProfile: ({ snapshot, account }: { snapshot: ReadySnapshot; account: string }): Promise<JobResult> =>
      readSnapshot(deps, snapshot, async (pages) => {
        const record = await onlyRecordOf(pages);
        await contents.putFacts(snapshot.recordId, imgnet.facts.profile(record, account));
        const shortcodes = imgnet.facts.shownPosts(record).slice(0, SHOWN_POSTS_MAX);
        await records.noteOwners(shortcodes.map((code) => [subjectIdOf('imgnet_audio', code), account]));
        return {};
      }),
  };
}
