import type { JobInput } from '../contract/jobs.ts';
import { collect } from './imgnet-snapshot.ts';
import type { JobEnd } from './job-end.ts';
import { runJob } from './life-cycle.ts';

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
