import type { RouteLimits, Routes } from '../runtime/pacing.ts';
import type { Config } from '../config.ts';

const DATA_API = 'vidnet-data-api';

/** Which upstream each use goes to. With a key, lists and comments leave the way of yt-dlp, whose refusals are not theirs. */
export function upstreamLimitsOf(config: Config): Routes {
  const { vidnet, imgnet } = limitsOf(config);
  const pages = { route: 'vidnet', ...vidnet };
  const facts = config.VIDNET_API_KEY === undefined ? pages : { route: DATA_API, ...vidnet };
  return {
    'vidnet-page': pages,
    'vidnet-listing': facts,
    'vidnet-comments': facts,
    'imgnet-dataset': { route: 'imgnet', ...imgnet },
    'imgnet-media': { route: 'imgnet-media', ...imgnet },
    site: vidnet,
  };
}

/** Routes of other settings, in whose queues jobs may wait that began with those. */
export function formerRoutesOf(config: Config): Readonly<Record<string, RouteLimits>> {
  return config.VIDNET_API_KEY === undefined ? { [DATA_API]: limitsOf(config).vidnet } : {};
}

function limitsOf(config: Config): Readonly<Record<'vidnet' | 'imgnet', RouteLimits>> {
  const pauses = {
    firstPauseSeconds: config.UPSTREAM_FIRST_PAUSE_SECONDS,
    maxPauseSeconds: config.UPSTREAM_MAX_PAUSE_SECONDS,
  };
  return {
    vidnet: { ...pauses, maxAtOnce: config.VIDNET_MAX_JOBS, startsPerMinute: config.VIDNET_STARTS_PER_MINUTE },
    imgnet: { ...pauses, maxAtOnce: config.IMGNET_MAX_JOBS, startsPerMinute: config.IMGNET_STARTS_PER_MINUTE },
  };
}
