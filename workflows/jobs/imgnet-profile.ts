import type { JobInput } from '../../contract/job-input.ts';
import { collect } from './collect-snapshot.ts';
import type { JobEnd } from '../lifecycle/job-end.ts';
import { runJob } from '../lifecycle/run-job.ts';

/** The profile of an account of the photo platform. */
export function imgnetProfile(input: JobInput): Promise<JobEnd> {
  const { recordId, mediaId: account } = input;
  const order = { recordId, part: 'profile', request: { kind: 'profile', account } } as const;
  return runJob(input, (useUpstream) =>
    collect(useUpstream, { ...order, title: `the profile of ${account}` }, (snapshot) =>
      useUpstream('imgnet-dataset', `Keep the profile of ${account}`, 'beside').storeProfile({ snapshot, account }),
    ),
  );
}
