import type { JobResult } from '../../contract/download-record.ts';
import type { PostReference } from '../../contract/urls/imgnet-urls.ts';
import { records, type UseUpstream } from '../activity-proxies.ts';
import { upstreamFailure } from '../lifecycle/job-outcome.ts';
import { collect } from './collect-snapshot.ts';

/** The platform's links expire after hours or days. If those of a new collection have expired, another one will not help. */
const MAX_COLLECTIONS = 2;

/** Fetches media by the links in the content of a post, which is collected if none is fresh or if its links have expired. */
export async function fetchOfPost(
  useUpstream: UseUpstream,
  what: 'audio' | 'files',
  { recordId, post }: { readonly recordId: string; readonly post: PostReference },
): Promise<JobResult> {
  const { shortcode } = post;
  let contentsId = await records.findFreshContent(shortcode);
  for (let collections = 0; ;) {
    if (contentsId === undefined) {
      collections += 1;
      const title = `${post.kind} ${shortcode}`;
      const order = { recordId, part: `content-${collections}`, request: post, title };
      await collect(useUpstream, order, ({ storeContent }, snapshot) => storeContent({ snapshot, post }));
      contentsId = recordId;
    }
    const media = useUpstream('imgnet-media', `Fetch the ${what} of ${post.kind} ${shortcode}`);
    const fetch = what === 'audio' ? media.fetchImgnetAudio : media.fetchImgnetFiles;
    const fetched = await fetch({ recordId, contentsId, shortcode });
    if (fetched.state === 'made') return fetched.result;
    if (collections === MAX_COLLECTIONS) throw upstreamFailure(fetched.failure);
    contentsId = undefined;
  }
}
