import {
  routeOf,
  type PermitRequest,
  type PauseNotice,
  type Route,
  type Routes,
  type UpstreamUse,
} from '../runtime/pacing.ts';

/** The limiters and the jobs that deal with them, as workflows that run somewhere. */
export interface Limiters {
  /** Requests a permit of a route's limiter; one that does not run is started. @returns its workflow ID */
  request(route: Route, request: PermitRequest): Promise<string>;
  /** Tells a waiting job of a pause. @returns false when it has closed */
  notify(waiter: PermitRequest, notice: PauseNotice): Promise<boolean>;
  isOpen(request: PermitRequest): Promise<boolean>;
}

export type PermitActivities = ReturnType<typeof createPermitActivities>;

/** Signals under way at once. */
const AT_ONCE = 20;

/** What jobs and limiters need of Temporal beyond their own histories. All may be repeated at will. */
export function createPermitActivities({ limiters, routes }: { readonly limiters: Limiters; readonly routes: Routes }) {
  return {
    /** @returns which limiter will grant the permit */
    async askForTurn(order: { use: UpstreamUse; asker: PermitRequest }): Promise<{ limiterId: string }> {
      return { limiterId: await limiters.request(routeOf(routes, order.use), order.asker) };
    },

    /** @returns the turn ids of those whose jobs have closed */
    tellParked: (news: { askers: readonly PermitRequest[]; notice: PauseNotice }): Promise<string[]> =>
      failing(news.askers, (waiter) => limiters.notify(waiter, news.notice)),

    /** @returns the turn ids of those whose jobs have closed */
    findClosed: (order: { askers: readonly PermitRequest[] }): Promise<string[]> =>
      failing(order.askers, (holder) => limiters.isOpen(holder)),
  };
}

async function failing(
  requests: readonly PermitRequest[],
  check: (request: PermitRequest) => Promise<boolean>,
): Promise<string[]> {
  const turnIds: string[] = [];
  const rest = requests.values();
  const work = async (): Promise<void> => {
    for (const request of rest) if (!(await check(request))) turnIds.push(request.turnId);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return turnIds;
}
