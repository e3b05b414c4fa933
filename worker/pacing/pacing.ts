import type { RouteLimits, Routes } from '../../runtime/pacing.ts';
import { routeOf, upstreamUses, type UpstreamUse } from '../../runtime/pacing.ts';
import { roleOf, workerRoles, type WorkerRole } from '../../runtime/roles.ts';
import { pacingIdOf, type PacingStore } from '../../runtime/shares.ts';
import type { Budget } from './budget.ts';
import { forgetSites } from './forget-sites.ts';
import { Pacer } from './pacer.ts';

/** A site that nobody uses is left to the other workers: each one is a write a second until then. */
const SITE_IDLE_MS = 10_000;
const FORGET_SITES_EACH_MS = 3_600_000;

export interface PacingOptions {
  readonly store: PacingStore;
  readonly taskQueue: string;
  readonly routes: Routes;
  /** Further ones by their names, that no new job uses. */
  readonly formerRoutes?: Readonly<Record<string, RouteLimits>>;
  /** Downloads of a route that this worker runs at once, whatever its share is. */
  readonly maxFetches: number;
  /** Only their routes are shared in; by default all. */
  readonly roles?: readonly WorkerRole[];
  readonly onError: (error: unknown) => void;
}

/** A worker's part in the pacing of all routes. */
export interface Pacing {
  /** Names of the routes that have a task queue of their own. */
  readonly routes: readonly string[];
  budget(route: string): Budget;
  budgetOf(use: UpstreamUse): Budget;
  /** Of a site, such as `site/example.com`, from when it is first used. */
  siteBudget(site: string): Promise<Budget>;
  /** Begins nothing any more, and leaves to the others all places in which nothing runs. */
  drain(): Promise<void>;
  /** Leaves all shares to the others. */
  stop(): Promise<void>;
}

export async function startPacing(options: PacingOptions): Promise<Pacing> {
  const { store, taskQueue, routes, formerRoutes = {}, maxFetches, roles = workerRoles, onError } = options;
  const uses = upstreamUses.filter((use) => roles.includes(roleOf(use)));
  const used = Object.fromEntries(uses.map((use) => [routes[use].route, limitsIn(routes[use])]));
  const limits = { ...formerRoutes, ...used };
  // To wait for data that are collected takes nothing of the machine.
  const caps = Object.fromEntries(
    Object.keys(limits).map((route) => [route, route === routes['imgnet-dataset'].route ? Infinity : maxFetches]),
  );
  const own = new Pacer({ store, id: pacingIdOf(taskQueue), limits, caps, onError });
  let isDraining = false;
  const sites = new Map<string, { readonly pacer: Pacer; readonly joined: Promise<void>; usedMs: number }>();
  const siteOf = (site: string) => {
    const known = sites.get(site);
    if (known !== undefined) return known;
    const pacer = new Pacer({
      store,
      id: pacingIdOf(taskQueue, site),
      limits: { [site]: limitsIn(routes.site) },
      caps: {},
      onError,
    });
    if (isDraining) void pacer.drain();
    const added = { pacer, joined: pacer.start(), usedMs: 0 };
    sites.set(site, added);
    return added;
  };
  const leaveIdle = setInterval(() => {
    for (const [site, { pacer, usedMs }] of sites) {
      if (!pacer.isIdle || performance.now() - usedMs < SITE_IDLE_MS) continue;
      sites.delete(site);
      void pacer.stop();
    }
  }, SITE_IDLE_MS / 4);
  const forgetting = setInterval(() => void forgetSites(store, taskQueue).catch(onError), FORGET_SITES_EACH_MS);
  forgetting.unref();
  const isSharing = Object.keys(limits).length > 0;
  if (isSharing) await own.start();
  const pacers = () => [...(isSharing ? [own] : []), ...[...sites.values()].map(({ pacer }) => pacer)];
  return {
    routes: Object.keys(limits),
    budget: (route) => own.budget(route),
    budgetOf: (use) => own.budget(routeOf(routes, use).route),
    async siteBudget(site) {
      const entry = siteOf(site);
      entry.usedMs = performance.now();
      await entry.joined;
      return entry.pacer.budget(site);
    },
    async drain() {
      isDraining = true;
      await Promise.all(pacers().map((pacer) => pacer.drain()));
    },
    async stop() {
      clearInterval(leaveIdle);
      clearInterval(forgetting);
      await Promise.all(pacers().map((pacer) => pacer.stop()));
    },
  };
}

function limitsIn({ maxAtOnce, startsPerMinute, firstPauseSeconds, maxPauseSeconds }: RouteLimits): RouteLimits {
  return { maxAtOnce, startsPerMinute, firstPauseSeconds, maxPauseSeconds };
}
