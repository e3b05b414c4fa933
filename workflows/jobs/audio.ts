import type { JobInput } from '../../contract/job-input.ts';
import { runJob } from '../lifecycle/run-job.ts';

/** The audio of a video as an M4A file. */
export function audio(input: JobInput) {
  const { recordId, mediaId } = input;
  return runJob(input, (useUpstream) =>
    useUpstream('vidnet-page', `Fetch the audio of video ${mediaId}`).fetchAudio({ recordId, mediaId }),
  );
}
