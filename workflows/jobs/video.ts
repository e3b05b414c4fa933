import type { JobInput } from '../../contract/job-input.ts';
import { runJob } from '../lifecycle/run-job.ts';

/** A video as an MP4 file. */
export function video(input: JobInput) {
  const { recordId, mediaId } = input;
  return runJob(input, (useUpstream) =>
    useUpstream('vidnet-page', `Fetch video ${mediaId}`).fetchVideo({ recordId, mediaId }),
  );
}
