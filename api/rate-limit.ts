import type { H3Event, Middleware } from 'h3';
import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import { ApiError } from '../contract/errors.ts';

const WINDOW_SECONDS = 60;
/** Links are bounded by their expiry, and probes must not use up a caller's requests. */
const NOT_COUNTED = /^\/(?:files\/|health$)/;

/**
 * Counts requests per client address and tells the state in `RateLimit-*` headers, on refusals too.
 *
 * `X-Forwarded-For` is not looked at: anyone can write it.
 */
export function rateLimit(requestsPerMinute: number): Middleware {
  const limiter = new RateLimiterMemory({ points: requestsPerMinute, duration: WINDOW_SECONDS });
  return async (event, next) => {
    if (NOT_COUNTED.test(event.url.pathname)) return next();
    const state = await limiter.consume(event.req.ip ?? 'unknown').catch((refusal: unknown) => {
      if (refusal instanceof RateLimiterRes) return refusal;
      throw refusal;
    });
    const resetSeconds = Math.ceil(state.msBeforeNext / 1000);
    setHeaders(event, requestsPerMinute, { remaining: state.remainingPoints, resetSeconds });
    if (state.consumedPoints > requestsPerMinute) {
      throw new ApiError('rate_limited', `More than ${String(requestsPerMinute)} requests a minute.`, {
        retryAfterSeconds: resetSeconds,
      });
    }
    return next();
  };
}

function setHeaders(event: H3Event, limit: number, state: { remaining: number; resetSeconds: number }): void {
  const { headers } = event.res;
  headers.set('RateLimit-Limit', String(limit));
  headers.set('RateLimit-Remaining', String(Math.max(0, state.remaining)));
  headers.set('RateLimit-Reset', String(state.resetSeconds));
  headers.set('RateLimit-Policy', `${String(limit)};w=${String(WINDOW_SECONDS)}`);
}
