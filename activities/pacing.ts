import { routeOf, type PermitRequest, type Route, type Routes, type UpstreamUse } from '../runtime/pacing.ts';
import type { PauseView } from '../runtime/pause-view.ts';
import type { Refusal } from '../runtime/pauses.ts';

export interface PacingDeps {
  readonly routes: Routes;
  /** The pause of a route, or of a site, as all workers see it. */
  readonly pauseOf: PauseView;
  /** Lets a job of version 4da8403 begin, or tells it of the pause and lets it begin after that. @returns whom it should thank */
  readonly grantTurn: (route: Route, asker: PermitRequest) => Promise<string>;
}

/** The refusal by which a route is paused, and since when. */
export type PastRefusal = Refusal & { readonly sinceMs: number };

export type PacingActivities = ReturnType<typeof createPacingActivities>;

/** What jobs ask about the routes. All may be repeated at will. */
export function createPacingActivities({ routes, pauseOf, grantTurn }: PacingDeps) {
  return {
    /** @returns the platform's refusal while the route is paused, null while it is not */
    async pauseOf({ route }: { route: string }): Promise<PastRefusal | null> {
      const pause = await pauseOf(route);
      return pause === undefined ? null : { code: pause.code, message: pause.reason, sinceMs: pause.sinceMs };
    },

    /** Of jobs of version 4da8403, which had limiters. */
    async askForTurn(order: { use: UpstreamUse; asker: PermitRequest }): Promise<{ limiterId: string }> {
      return { limiterId: await grantTurn(routeOf(routes, order.use), order.asker) };
    },
  };
}
