import type { JobInput } from '../contract/jobs.ts';
import type { JobEnd } from './job-end.ts';
import { runJob } from './life-cycle.ts';

/** A video as an MP4 file. */
export function video(input: JobInput): Promise<JobEnd> {
  return runJob(input, (useUpstream) => {
    const { recordId, mediaId } = input;
    return useUpstream('vidnet-page', `Fetch video ${mediaId}`).fetchVideo({ recordId, mediaId });
  });
}
