import { HTTPResponse, type H3Event } from 'h3';
import type { Logger } from 'pino';
import { httpStatusOf, toApiError } from './errors.ts';

/** Dresses whatever was thrown for REST; what is our fault is logged with its cause. */
export function errorResponse(log: Logger, thrown: unknown, event: H3Event): HTTPResponse {
  const error = toApiError(thrown);
  const status = httpStatusOf(error);
  if (status >= 500) {
    log.error({ err: error.cause ?? error, method: event.req.method, path: event.url.pathname }, error.message);
  }
  const { retryAfterSeconds } = error.extras;
  return new HTTPResponse(JSON.stringify(error.toBody()), {
    status,
    headers: {
      'Content-Type': 'application/json',
      'Cache-Control': 'no-store',
      ...error.extras.headers,
      ...(retryAfterSeconds === undefined ? {} : { 'Retry-After': String(retryAfterSeconds) }),
    },
  });
}
