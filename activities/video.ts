import type { JobResult } from '../contract/download-record.ts';
import { fetchFile, type FetchDeps, type FetchJob } from './make-file.ts';

export const createVideoActivity = (deps: FetchDeps) => ({
  fetchVideo: (job: FetchJob): Promise<JobResult> =>
    fetchFile(deps, job, { format: 'video', fetch: (options) => deps.vidnet.fetchVideo(job.mediaId, options) }),
});
