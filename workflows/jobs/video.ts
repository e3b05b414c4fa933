import type { JobInput } from '../../contract/job-input.ts';
import type { JobEnd } from '../lifecycle/job-end.ts';
import { runJob } from '../lifecycle/run-job.ts';

/** A video as an MP4 file. */
export function video(input: JobInput): Promise<JobEnd> {
  return runJob(input, (useUpstream) => {
    const { recordId, mediaId } = input;
    return useUpstream('vidnet-page', `Fetch video ${mediaId}`).fetchVideo({ recordId, mediaId });
  });
}
