import type { MediaPage } from '../contract/kinds/media.ts';
import type { JobResult } from '../contract/download-record.ts';
import { safeFileName } from '../runtime/file-names.ts';
import { fetchFile, type FetchDeps, type FetchJob } from './make-file.ts';
import { tailorFile, type TailorDeps } from './tailor-file.ts';

export const createAudioActivity = (deps: FetchDeps) => ({
  fetchAudio: (job: FetchJob): Promise<JobResult> =>
    fetchFile(deps, job, { format: 'audio', fetch: (options) => deps.vidnet.fetchAudio(job.mediaId, options) }),
});

export const createVideoActivity = (deps: FetchDeps) => ({
  fetchVideo: (job: FetchJob): Promise<JobResult> =>
    fetchFile(deps, job, { format: 'video', fetch: (options) => deps.vidnet.fetchVideo(job.mediaId, options) }),
});

export const createMediaActivity = (deps: FetchDeps & TailorDeps) => ({
  fetchMedia: ({ page, ...job }: FetchJob & { readonly page: MediaPage }): Promise<JobResult> => {
    return fetchFile(deps, job, {
      format: page.format,
      fetch: (call) => deps.vidnet.fetchPage(page, call),
      nameOf: safeFileName,
      ...(page.options !== undefined && {
        tailor: (call, media) => tailorFile(deps, call, { ...media, page, mediaId: job.mediaId }),
      }),
    });
  },
});
