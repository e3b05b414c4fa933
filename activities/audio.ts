import type { JobResult } from '../contract/download-record.ts';
import { fetchFile, type FetchDeps, type FetchJob } from './make-file.ts';

export const createAudioActivity = (deps: FetchDeps) => ({
  fetchAudio: (job: FetchJob): Promise<JobResult> =>
    fetchFile(deps, job, { format: 'audio', fetch: (options) => deps.vidnet.fetchAudio(job.mediaId, options) }),
});
