import type { ContentJob } from '../../contract/kinds/imgnet-content.ts';
import { collect } from './collect-snapshot.ts';
import type { JobEnd } from '../lifecycle/job-end.ts';
import { runJob } from '../lifecycle/run-job.ts';
import { fetchOwnerProfile } from './fetch-owner-profile.ts';

/** The content of a post or reel. The profile of its owner is fetched with it when nobody has done that lately. */
export function imgnetContent(input: ContentJob): Promise<JobEnd> {
  const { recordId, mediaId, price, parameters, version } = input;
  return runJob(input, async (useUpstream) => {
    const { post, profilePrice } = parameters;
    const order = { recordId, part: 'content', request: post, title: `${post.kind} ${mediaId}` };
    const { account } = await collect(useUpstream, order, (snapshot) =>
      useUpstream('imgnet-dataset', `Keep ${post.kind} ${mediaId}`, 'beside').storeContent({ snapshot, post }),
    );
    const hasFetched = account !== undefined && (await fetchOwnerProfile({ account, paidBy: recordId, version }));
    return { charge: hasFetched ? price : price - profilePrice };
  });
}
