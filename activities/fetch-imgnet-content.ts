import { JobError } from '../runtime/job-error.ts';
import { postContentOf } from '../sources/imgnet/records/posts.ts';
import type { PostContent, ReelContent } from '../contract/kinds/imgnet-content.ts';
import { isReelRecord } from '../sources/imgnet/records/publication.ts';
import { reelContentOf } from '../sources/imgnet/records/reels.ts';
import type { ImgnetRecord } from '../sources/imgnet/records/record-readers.ts';
import { accountOf, type PostReference } from '../contract/imgnet-urls.ts';
import { optional } from '../contract/optional.ts';
import { onlyRecordOf } from '../sources/imgnet/imgnet-source.ts';
import { subjectIdOf } from '../contract/subjects.ts';
import type { ContentsStore } from '../store/contents.ts';
import type { RecordStore } from '../store/records.ts';
import { readSnapshot, type ImgnetPlatform, type ReadySnapshot, type SnapshotDeps } from './imgnet-snapshots.ts';

export interface ImgnetContentDeps extends SnapshotDeps {
  readonly contents: ContentsStore;
  readonly records: Pick<RecordStore, 'noteContents'>;
}

/** What the job goes on with. */
export interface StoredContent {
  /** Whose it is, in lower case; absent when its record does not tell, or names what no account can be called. */
  readonly account?: string;
}

export function createImgnetContentActivity(deps: ImgnetContentDeps) {
  return {
    /** Keeps a post or reel beside the record of the job. May be repeated. */
    storeContent: ({ snapshot, post }: { snapshot: ReadySnapshot; post: PostReference }): Promise<StoredContent> =>
      readSnapshot(deps, snapshot, async (pages) => {
        const content = contentOf(await onlyRecordOf(pages), post, deps.imgnetPlatform);
        await deps.contents.putFacts(snapshot.recordId, content);
        // It is paid for: whoever asks for the audio next, after a failure too, needs no further snapshot.
        await deps.records.noteContents(subjectIdOf('imgnet_audio', post.shortcode), snapshot.recordId);
        // What the provider calls an account becomes the subject of another job, if it can be one.
        return optional('account', accountOf(content.account ?? ''));
      }),
  };
}

/** The dataset of posts has reels too: the record tells what it is, not the URL that was asked for. */
function contentOf(
  record: ImgnetRecord,
  { kind }: PostReference,
  { platformUrl, hosts }: ImgnetPlatform,
): PostContent | ReelContent {
  const context = { platformUrl, hosts };
  const content =
    kind === 'reel' || isReelRecord(record, hosts) ? reelContentOf(record, context) : postContentOf(record, context);
  if (content === undefined) throw new JobError('upstream_error', 'The dataset API sent a record that names no post.');
  return content;
}
