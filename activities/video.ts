import type { JobResult } from '../contract/download-record.ts';
import { fetchFile, type FetchDeps, type FetchJob } from './make-file.ts';

export const createVideoActivity = (deps: FetchDeps) => ({
  /** Downloads the pictures and the sound of a video, makes them one MP4, verifies that and publishes it. */
  fetchVideo: (job: FetchJob): Promise<JobResult> =>
    fetchFile(deps, job, { format: 'video', fetch: (options) => deps.vidnet.fetchVideo(job.mediaId, options) }),
});
