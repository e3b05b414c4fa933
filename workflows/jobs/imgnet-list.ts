import type { ListJob } from '../../contract/kinds/imgnet-list-job.ts';
import { optional } from '../../runtime/optional.ts';
import { collect } from './collect-snapshot.ts';
import type { JobEnd } from '../lifecycle/job-end.ts';
import { runJob } from '../lifecycle/run-job.ts';

/** The posts, or the reels, of an account of the photo platform. */
export function imgnetList(input: ListJob): Promise<JobEnd> {
  const { recordId, mediaId: account, parameters } = input;
  return runJob(input, (useUpstream) => {
    const { part, sinceDate } = parameters;
    const request = { kind: part, account, ...optional('sinceDate', sinceDate) };
    return collect(useUpstream, { recordId, part, request, title: `the ${part} of ${account}` }, (snapshot) =>
      useUpstream('imgnet-dataset', `Keep the ${part} of ${account}`, 'beside').storeList({
        snapshot,
        account,
        ...parameters,
      }),
    );
  });
}
