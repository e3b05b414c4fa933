import type { JobInput } from '../contract/jobs.ts';
import { fetchActivities } from './activities.ts';
import { runJob } from './life-cycle.ts';

/** A video as an MP4 file. */
export function video(input: JobInput): Promise<void> {
  return runJob(input, (withPermit) => {
    const { fetchVideo } = fetchActivities(`Fetch video ${input.mediaId}`);
    return withPermit('vidnet-page', () => fetchVideo({ recordId: input.recordId, mediaId: input.mediaId }));
  });
}
