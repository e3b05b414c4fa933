import type { JobResult } from '../contract/records.ts';
import { onlyRecordOf } from '../sources/imgnet/imgnet-source.ts';
import { subjectIdOf } from '../contract/subjects.ts';
import type { ContentsStore } from '../store/contents.ts';
import type { RecordStore } from '../store/records.ts';
import { readSnapshot, type ReadySnapshot, type SnapshotDeps } from './imgnet-snapshots.ts';

export interface ImgnetProfileDeps extends SnapshotDeps {
  readonly contents: ContentsStore;
  readonly records: Pick<RecordStore, 'noteOwner'>;
}

/** More than profiles show. */
const SHOWN_POSTS_MAX = 50;

export function createImgnetProfileActivity(deps: ImgnetProfileDeps) {
  return {
    /** Keeps a profile beside its record, and whose the posts are that it shows. May be repeated. */
    storeProfile: (job: { snapshot: ReadySnapshot; account: string }): Promise<JobResult> =>
      readSnapshot(deps, job.snapshot, async (pages) => {
        const record = await onlyRecordOf(pages);
        await deps.contents.putFacts(job.snapshot.recordId, deps.imgnet.facts.profile(record, job.account));
        const shortcodes = deps.imgnet.facts.shownPosts(record).slice(0, SHOWN_POSTS_MAX);
        await Promise.all(
          shortcodes.map((code) => deps.records.noteOwner(subjectIdOf('imgnet_audio', code), job.account)),
        );
        return {};
      }),
  };
}
