import type { MediaJob } from '../../contract/kinds/media.ts';
import { runJob } from '../lifecycle/run-job.ts';
import { onceStarted } from './await-start.ts';

/** The audio or the video of a page of any site. */
export function media(input: MediaJob) {
  const { recordId, mediaId, parameters } = input;
  return runJob(input, (useUpstream) => {
    const { page, site } = parameters;
    const use = site === undefined ? 'vidnet-page' : (`site/${site}` as const);
    const fetch = () =>
      useUpstream(use, `Fetch the ${page.format} of ${page.url}`).fetchMedia({ recordId, mediaId, page });
    return page.options?.wait_for_start === true ? onceStarted(fetch) : fetch();
  });
}
