import type { MediaJob } from '../../contract/kinds/media.ts';
import { runJob } from '../lifecycle/run-job.ts';
import { onceStarted } from './await-start.ts';
import { fetchOfPost } from './fetch-of-post.ts';

/** The audio or the video of a page of any site, or the pictures and videos of a post of the photo platform. */
export function media(input: MediaJob) {
  const { recordId, mediaId } = input;
  return runJob(input, (useUpstream) => {
    const { page, site, post } = input.parameters;
    if (post !== undefined) return fetchOfPost(useUpstream, 'files', { recordId, post });
    const use = site === undefined ? 'vidnet-page' : (`site/${site}` as const);
    const fetch = () =>
      useUpstream(use, `Fetch the ${page.format} of ${page.url}`).fetchMedia({ recordId, mediaId, page });
    return page.options?.wait_for_start === true ? onceStarted(fetch) : fetch();
  });
}
