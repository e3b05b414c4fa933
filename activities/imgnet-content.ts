import { accountOf, type PostReference } from '../contract/urls/imgnet-urls.ts';
import { subjectIdOf } from '../contract/kinds/subjects.ts';
import { onlyRecordOf } from '../sources/imgnet/imgnet-source.ts';
import { readSnapshot, type KeepingDeps, type ReadySnapshot } from './imgnet-snapshots.ts';

/** What the job of a post goes on with. */
export interface StoredContent {
  /** Whose it is, in lower case; absent when its record does not tell, or names what no account can be called. */
  readonly account?: string | undefined;
}

export function createContentActivity(deps: KeepingDeps) {
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
  };
}
