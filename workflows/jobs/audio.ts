import type { JobInput } from '../../contract/job-input.ts';
import type { JobEnd } from '../lifecycle/job-end.ts';
import { runJob } from '../lifecycle/run-job.ts';

/** The audio of a video as an M4A file. */
export function audio(input: JobInput): Promise<JobEnd> {
  return runJob(input, (useUpstream) => {
    const { recordId, mediaId } = input;
    return useUpstream('vidnet-page', `Fetch the audio of video ${mediaId}`).fetchAudio({ recordId, mediaId });
  });
}
