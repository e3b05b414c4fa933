import type { PostMedia } from '../../activities/imgnet-media.ts';
import type { JobResult } from '../../contract/download-record.ts';
import type { PostReference } from '../../contract/urls/imgnet-urls.ts';
import { records, type UseUpstream } from '../activity-proxies.ts';
import { upstreamFailure } from '../lifecycle/job-outcome.ts';
import { collect } from './collect-snapshot.ts';

/** The platform's links expire after hours or days. If those of a new collection have expired, another one will not help. */
const MAX_COLLECTIONS = 2;

/** Fetches media by the links in the content of a post, which is collected if none is fresh or if its links have expired. */
export async function withPostContent(
  useUpstream: UseUpstream,
  { recordId, post }: { readonly recordId: string; readonly post: PostReference },
  fetch: (contentsId: string) => Promise<PostMedia>,
): Promise<JobResult> {
  let contentsId = await records.findFreshContent(post.shortcode);
  for (let collections = 0; ;) {
    if (contentsId === undefined) {
      collections += 1;
      const title = `${post.kind} ${post.shortcode}`;
      const order = { recordId, part: `content-${collections}`, request: post, title };
      await collect(useUpstream, order, ({ storeContent }, snapshot) => storeContent({ snapshot, post }));
      contentsId = recordId;
    }
    const fetched = await fetch(contentsId);
    if (fetched.state === 'made') return fetched.result;
    if (collections === MAX_COLLECTIONS) throw upstreamFailure(fetched.failure);
    contentsId = undefined;
  }
}
