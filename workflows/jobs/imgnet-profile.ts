import type { JobInput } from '../../contract/job-input.ts';
import { runJob } from '../lifecycle/run-job.ts';
import { collect } from './collect-snapshot.ts';

/** The profile of an account of the photo platform. */
export function imgnetProfile(input: JobInput) {
  const { recordId, mediaId: account } = input;
  const request = { kind: 'profile', account } as const;
  const order = { recordId, part: 'profile', request, title: `the profile of ${account}` };
  return runJob(input, (useUpstream) =>
    collect(useUpstream, order, ({ storeProfile }, snapshot) => storeProfile({ snapshot, account })),
  );
}
