import type { Route, Routes } from '../../pacing/routes.ts';

export type RouteLimits = Omit<Route, 'route'>;

/** Limits that hold up nothing. */
export const GENEROUS: RouteLimits = {
  maxAtOnce: 100,
  startsPerMinute: 100_000,
  firstPauseSeconds: 15,
  maxPauseSeconds: 900,
};

/** Every use of an upstream on a route of its own, all with the same limits. */
export function routesWith(limits: RouteLimits): Routes {
  return {
    'vidnet-page': { route: 'page', ...limits },
    'vidnet-listing': { route: 'listing', ...limits },
    'vidnet-comments': { route: 'comments', ...limits },
    'imgnet-dataset': { route: 'dataset', ...limits },
    'imgnet-media': { route: 'media', ...limits },
    site: limits,
  };
}
