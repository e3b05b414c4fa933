import type { MediaInfoJob } from '../../contract/kinds/media-info.ts';
import { runJob } from '../lifecycle/run-job.ts';

/** What a page says about its media, which are not fetched. */
export function mediaInfo(input: MediaInfoJob) {
  const { recordId, mediaId, parameters } = input;
  return runJob(input, (useUpstream) => {
    const { page, site } = parameters;
    const use = site === undefined ? 'vidnet-page' : (`site/${site}` as const);
    return useUpstream(use, `Look at ${page.url}`).readMediaInfo({ recordId, mediaId, page });
  });
}
