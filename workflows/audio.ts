import type { JobInput } from '../contract/jobs.ts';
import { fetchActivities } from './activities.ts';
import { runJob } from './life-cycle.ts';

/** The audio of a video as an M4A file. */
export function audio(input: JobInput): Promise<void> {
  return runJob(input, (withPermit) => {
    const { fetchAudio } = fetchActivities(`Fetch the audio of video ${input.mediaId}`);
    return withPermit('vidnet-page', () => fetchAudio({ recordId: input.recordId, mediaId: input.mediaId }));
  });
}
