import type { Config } from '../config.ts';
import type { Routes } from './routes.ts';

/** The routes of the configuration. With a key, listings and comments go by the Data API, whose refusals are not those of yt-dlp. */
export function routesOf(config: Config): Routes {
  const pauses = {
    firstPauseSeconds: config.UPSTREAM_FIRST_PAUSE_SECONDS,
    maxPauseSeconds: config.UPSTREAM_MAX_PAUSE_SECONDS,
  };
  const vidnet = {
    ...pauses,
    maxAtOnce: Math.min(config.VIDNET_MAX_JOBS, config.MAX_FETCHES),
    startsPerMinute: config.VIDNET_STARTS_PER_MINUTE,
  };
  // Waiting for data that the provider collects takes nothing of the machine: MAX_FETCHES does not limit it.
  const dataset = { ...pauses, maxAtOnce: config.IMGNET_MAX_JOBS, startsPerMinute: config.IMGNET_STARTS_PER_MINUTE };
  const pages = { route: 'vidnet', ...vidnet };
  const facts = config.VIDNET_API_KEY === undefined ? pages : { route: 'vidnet-data-api', ...vidnet };
  return {
    'vidnet-page': pages,
    'vidnet-listing': facts,
    'vidnet-comments': facts,
    'imgnet-dataset': { route: 'imgnet', ...dataset },
    'imgnet-media': {
      ...{ route: 'imgnet-media', ...dataset },
      maxAtOnce: Math.min(config.IMGNET_MAX_JOBS, config.MAX_FETCHES),
    },
    site: pauses,
  };
}
