import type { MediaPage } from '../contract/kinds/media.ts';
import type { JobResult } from '../contract/download-record.ts';
import { fetchFile, type FetchDeps, type FetchJob } from './make-file.ts';

export const createMediaActivity = (deps: FetchDeps) => ({
  fetchMedia: ({ page, ...job }: FetchJob & { readonly page: MediaPage }): Promise<JobResult> =>
    fetchFile(deps, job, { format: page.format, fetch: (options) => deps.vidnet.fetchPage(page, options) }),
});
