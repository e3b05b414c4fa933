import type { JobResult } from '../contract/records.ts';
import { fetchFile, type FetchDeps, type FetchJob } from './fetch-file.ts';

export const createAudioActivity = (deps: FetchDeps) => ({
  /** Downloads the audio of a video, makes it an M4A, verifies that and publishes it. */
  fetchAudio: (job: FetchJob): Promise<JobResult> =>
    fetchFile(deps, job, { format: 'audio', fetch: (options) => deps.vidnet.fetchAudio(job.mediaId, options) }),
});
