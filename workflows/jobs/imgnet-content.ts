import type { ContentJob } from '../../contract/kinds/imgnet-content.ts';
import { runJob } from '../lifecycle/run-job.ts';
import { collect } from './collect-snapshot.ts';
import { fetchOwnerProfile } from './fetch-owner-profile.ts';

/** The content of a post or reel. The profile of its owner is fetched, too, unless a fresh one exists. */
export function imgnetContent(input: ContentJob) {
  const { recordId, mediaId, price, parameters, version } = input;
  return runJob(input, async (useUpstream) => {
    const { post, profilePrice } = parameters;
    const order = { recordId, part: 'content', request: post, title: `${post.kind} ${mediaId}` };
    const { account } = await collect(useUpstream, order, ({ storeContent }, snapshot) =>
      storeContent({ snapshot, post }),
    );
    const isCharged = account !== undefined && (await fetchOwnerProfile({ account, paidBy: recordId, version }));
    return { charge: isCharged ? price : price - profilePrice };
  });
}
