import type { Routes } from '../runtime/pacing.ts';
import type { Config } from '../config.ts';

/** Which upstream each use goes to. With a key, lists and comments leave the way of yt-dlp, whose refusals are not theirs. */
export function upstreamLimitsOf(config: Config): Routes {
  const pauses = {
    firstPauseSeconds: config.UPSTREAM_FIRST_PAUSE_SECONDS,
    maxPauseSeconds: config.UPSTREAM_MAX_PAUSE_SECONDS,
  };
  const vidnet = { ...pauses, maxAtOnce: config.VIDNET_MAX_JOBS, startsPerMinute: config.VIDNET_STARTS_PER_MINUTE };
  const imgnet = { ...pauses, maxAtOnce: config.IMGNET_MAX_JOBS, startsPerMinute: config.IMGNET_STARTS_PER_MINUTE };
  const pages = { route: 'vidnet', ...vidnet };
  const facts = config.VIDNET_API_KEY === undefined ? pages : { route: 'vidnet-data-api', ...vidnet };
  return {
    'vidnet-page': pages,
    'vidnet-listing': facts,
    'vidnet-comments': facts,
    'imgnet-dataset': { route: 'imgnet', ...imgnet },
    'imgnet-media': { route: 'imgnet-media', ...imgnet },
    site: vidnet,
  };
}
