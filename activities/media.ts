import type { MediaPage } from '../contract/kinds/media.ts';
import type { JobResult } from '../contract/records.ts';
import { runAttempt, type FetchJob } from './fetch-attempt.ts';
import { makeAudio, type FetchDeps } from './audio.ts';
import { makeVideo } from './video.ts';

export function createFetchMediaActivity(deps: FetchDeps) {
  return {
    /** Downloads the video of a page of any site, or its sound, verifies and publishes it. May be repeated. */
    fetchMedia: ({ page, ...job }: FetchJob & { readonly page: MediaPage }): Promise<JobResult> =>
      runAttempt(deps, job, (attempt) =>
        (page.format === 'audio' ? makeAudio : makeVideo)(deps, attempt, {
          name: `${job.mediaId}.${page.format === 'audio' ? 'm4a' : 'mp4'}`,
          fetch: (options) => deps.vidnet.fetchPage(page, options),
        }),
      ),
  };
}
