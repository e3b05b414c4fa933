import { randomUUID } from 'node:crypto';
import type { H3Event, Middleware } from 'h3';
import { requestIdIn } from '../../runtime/telemetry/trace-headers.ts';
import type { ServiceDeps } from '../service-deps.ts';

export const REQUEST_ID = 'X-Request-Id';

export function requestIdFrom(sent: unknown): string {
  return requestIdIn(sent) ?? randomUUID();
}

/** Keyed by event, because reading a body replaces the request. */
const ids = new WeakMap<H3Event, string>();

/** Assigns an ID to each request and its answer. It is the first middleware, so that refused requests have an ID too. */
export const nameRequests: Middleware = (event, next) => {
  const id = requestIdFrom(event.req.headers.get(REQUEST_ID));
  ids.set(event, id);
  event.res.headers.set(REQUEST_ID, id);
  return next();
};

export function requestIdOf(event: H3Event): string | undefined {
  return ids.get(event);
}

export function forRequest(deps: ServiceDeps, requestId: string | undefined): ServiceDeps {
  if (requestId === undefined) return deps;
  const { jobs, log } = deps;
  return {
    ...deps,
    // Few requests write a line of their own.
    get log() {
      return log.child({ requestId });
    },
    jobs: { ...jobs, start: (workflow, input, how) => jobs.start(workflow, input, { ...how, requestId }) },
  };
}
