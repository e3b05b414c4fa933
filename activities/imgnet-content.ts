import { accountOf, type PostReference } from '../contract/urls/imgnet-urls.ts';
import { subjectIdOf } from '../contract/kinds/subjects.ts';
import { onlyRecordOf } from '../sources/imgnet/imgnet-source.ts';
import { readSnapshot, type KeepingDeps, type ReadySnapshot } from './imgnet-snapshots.ts';

export interface StoredContent {
  /** The owner in lower case; absent if the provider's row has no valid account. */
  readonly account?: string | undefined;
}

export function createContentActivity(deps: KeepingDeps) {
  const { imgnet, contents, records } = deps;
  return {
    storeContent: ({ snapshot, post }: { snapshot: ReadySnapshot; post: PostReference }): Promise<StoredContent> =>
      readSnapshot(deps, snapshot, async (pages) => {
        const content = imgnet.facts.content(await onlyRecordOf(pages), post.kind);
        await contents.putFacts(snapshot.recordId, content);
        // A later job for the audio needs no further snapshot, even if this job fails.
        const subjectId = subjectIdOf('imgnet_audio', post.shortcode);
        await records.noteContents(subjectId, snapshot.recordId);
        const account = accountOf(content.account ?? '');
        if (account !== undefined) await records.noteOwners([[subjectId, account]]);
        return { account };
      }),
  };
}
