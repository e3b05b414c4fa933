import type { MediaJob } from '../contract/kinds/media.ts';
import { fetchActivities } from './activities.ts';
import { runJob } from './life-cycle.ts';

/** The audio or the video of a page of any site. */
export function media(input: MediaJob): Promise<void> {
  const { recordId, mediaId, parameters } = input;
  const { page, site } = parameters;
  return runJob(input, (withPermit) => {
    const { fetchMedia } = fetchActivities(`Fetch the ${page.format} of ${page.url}`);
    const use = site === undefined ? 'vidnet-page' : (`site/${site}` as const);
    return withPermit(use, () => fetchMedia({ recordId, mediaId, page }));
  });
}
