import type { Routes } from '../runtime/pacing.ts';
import type { Config } from '../config.ts';

type PacingConfig = Pick<
  Config,
  | 'VIDNET_MAX_JOBS'
  | 'VIDNET_STARTS_PER_MINUTE'
  | 'VIDNET_API_KEY'
  | 'IMGNET_MAX_JOBS'
  | 'IMGNET_STARTS_PER_MINUTE'
  | 'UPSTREAM_FIRST_PAUSE_SECONDS'
  | 'UPSTREAM_MAX_PAUSE_SECONDS'
>;

/** Which upstream each use goes to. With a key, lists and comments leave the way of yt-dlp, whose refusals are not theirs. */
export function upstreamLimitsOf(config: PacingConfig): Routes {
  const pauses = {
    firstPauseSeconds: config.UPSTREAM_FIRST_PAUSE_SECONDS,
    maxPauseSeconds: config.UPSTREAM_MAX_PAUSE_SECONDS,
  };
  const vidnetLimits = {
    maxAtOnce: config.VIDNET_MAX_JOBS,
    startsPerMinute: config.VIDNET_STARTS_PER_MINUTE,
    ...pauses,
  };
  const imgnetLimits = {
    maxAtOnce: config.IMGNET_MAX_JOBS,
    startsPerMinute: config.IMGNET_STARTS_PER_MINUTE,
    ...pauses,
  };
  const pages = { route: 'vidnet', ...vidnetLimits };
  const facts = config.VIDNET_API_KEY === undefined ? pages : { route: 'vidnet-data-api', ...vidnetLimits };
  return {
    'vidnet-page': pages,
    'vidnet-listing': facts,
    'vidnet-comments': facts,
    'imgnet-dataset': { route: 'imgnet', ...imgnetLimits },
    'imgnet-media': { route: 'imgnet-media', ...imgnetLimits },
  };
}
