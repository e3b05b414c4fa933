import { accountOf, type PostReference } from '../contract/imgnet-urls.ts';
import { onlyRecordOf } from '../sources/imgnet/imgnet-source.ts';
import { subjectIdOf } from '../contract/subjects.ts';
import type { ContentsStore } from '../store/contents.ts';
import type { RecordStore } from '../store/records.ts';
import { readSnapshot, type ReadySnapshot, type SnapshotDeps } from './imgnet-snapshots.ts';

export interface ImgnetContentDeps extends SnapshotDeps {
  readonly contents: ContentsStore;
  readonly records: Pick<RecordStore, 'noteContents' | 'noteOwner'>;
}

/** What the job goes on with. */
export interface StoredContent {
  /** Whose it is, in lower case; absent when its record does not tell, or names what no account can be called. */
  readonly account?: string | undefined;
}

export function createImgnetContentActivity(deps: ImgnetContentDeps) {
  return {
    /** Keeps a post or reel beside the record of the job. May be repeated. */
    storeContent: ({ snapshot, post }: { snapshot: ReadySnapshot; post: PostReference }): Promise<StoredContent> =>
      readSnapshot(deps, snapshot, async (pages) => {
        const content = deps.imgnet.facts.content(await onlyRecordOf(pages), post.kind);
        await deps.contents.putFacts(snapshot.recordId, content);
        // It is paid for: whoever asks for the audio next, after a failure too, needs no further snapshot.
        const subjectId = subjectIdOf('imgnet_audio', post.shortcode);
        await deps.records.noteContents(subjectId, snapshot.recordId);
        // What the provider calls an account becomes the subject of another job, if it can be one.
        const account = accountOf(content.account ?? '');
        if (account !== undefined) await deps.records.noteOwner(subjectId, account);
        return { account };
      }),
  };
}
