import type { JobResult } from '../contract/records.ts';
import { onlyRecordOf } from '../sources/imgnet/imgnet-source.ts';
import type { ContentsStore } from '../store/contents.ts';
import { readSnapshot, type ReadySnapshot, type SnapshotDeps } from './imgnet-snapshots.ts';

export interface ImgnetProfileDeps extends SnapshotDeps {
  readonly contents: ContentsStore;
}

export function createImgnetProfileActivity(deps: ImgnetProfileDeps) {
  return {
    /** Keeps a profile beside its record. May be repeated. */
    storeProfile: (job: { snapshot: ReadySnapshot; account: string }): Promise<JobResult> =>
      readSnapshot(deps, job.snapshot, async (pages) => {
        const facts = deps.imgnet.facts.profile(await onlyRecordOf(pages), job.account);
        await deps.contents.putFacts(job.snapshot.recordId, facts);
        return {};
      }),
  };
}
