import type { ListJob } from '../../contract/kinds/imgnet-list-job.ts';
import { optional } from '../../runtime/optional.ts';
import { runJob } from '../lifecycle/run-job.ts';
import { collect } from './collect-snapshot.ts';

/** The posts, or the reels, of an account of the photo platform. */
export function imgnetList(input: ListJob) {
  const { recordId, mediaId: account, parameters } = input;
  return runJob(input, (useUpstream) => {
    const { part, sinceDate } = parameters;
    const request = { kind: part, account, ...optional('sinceDate', sinceDate) };
    const order = { recordId, part, request, title: `the ${part} of ${account}` };
    return collect(useUpstream, order, ({ storeList }, snapshot) => storeList({ snapshot, account, ...parameters }));
  });
}
