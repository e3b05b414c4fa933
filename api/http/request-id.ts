import { randomUUID } from 'node:crypto';
import type { H3Event, Middleware } from 'h3';
import { requestIdIn } from '../../runtime/telemetry/trace-headers.ts';
import type { ServiceDeps } from '../service-deps.ts';

/** In a request, and in its answer. */
export const REQUEST_ID = 'X-Request-Id';

/** @returns the id that the caller gave a request, or one of our making where that is none that may be repeated */
export function requestIdFrom(sent: unknown): string {
  return requestIdIn(sent) ?? randomUUID();
}

/** By event: reading a body puts another request in its place. */
const ids = new WeakMap<H3Event, string>();

/** Names each request, and its answer by the same name. The first of all: what the others refuse has a name, too. */
export const nameRequests: Middleware = (event, next) => {
  const id = requestIdFrom(event.req.headers.get(REQUEST_ID));
  ids.set(event, id);
  event.res.headers.set(REQUEST_ID, id);
  return next();
};

export function requestIdOf(event: H3Event): string | undefined {
  return ids.get(event);
}

/** The service as one request sees it: its log lines, and the jobs that it begins, have its id. */
export function forRequest(deps: ServiceDeps, requestId: string | undefined): ServiceDeps {
  if (requestId === undefined) return deps;
  const { jobs, log } = deps;
  return {
    ...deps,
    log: log.child({ requestId }),
    jobs: { ...jobs, start: (workflow, input, how) => jobs.start(workflow, input, { ...how, requestId }) },
  };
}
