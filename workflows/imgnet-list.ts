import type { ListJob } from '../contract/kinds/imgnet-list.ts';
import { optional } from '../runtime/optional.ts';
import { fetchActivities } from './activities.ts';
import { collect } from './imgnet-snapshot.ts';
import type { JobEnd } from './job-end.ts';
import { runJob } from './life-cycle.ts';
import { BESIDE } from './place.ts';

/** The posts, or the reels, of an account of the photo platform. */
export function imgnetList(input: ListJob): Promise<JobEnd> {
  const { recordId, mediaId: account, parameters } = input;
  return runJob(input, (useUpstream) => {
    const { part, sinceDate } = parameters;
    const request = { kind: part, account, ...optional('sinceDate', sinceDate) };
    return collect(useUpstream, { recordId, part, request, title: `the ${part} of ${account}` }, (snapshot) =>
      fetchActivities(BESIDE, `Keep the ${part} of ${account}`).storeList({ snapshot, account, ...parameters }),
    );
  });
}
