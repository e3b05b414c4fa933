import type { H3Event, Middleware } from 'h3';
import type { Logger } from 'pino';
import { ApiError } from '../contract/errors.ts';
import { POLL_INTERVAL_SECONDS } from '../contract/limits.ts';
import type { RecordStore } from '../store/records.ts';
import type { WindowStore } from '../store/windows.ts';
import { limitedAs } from './access/gate.ts';
import { createPolitePolls } from './access/polite-polls.ts';
import { createRequestCounter } from './access/request-counter.ts';

export interface RateLimitDeps {
  readonly windows: WindowStore;
  readonly records: Pick<RecordStore, 'get'>;
  readonly now: () => number;
  readonly log: Logger;
}

const WINDOW_SECONDS = 60;

/**
 * Counts requests per key, else per client address, over all processes of the api. The state is told in `RateLimit-*`
 * headers, on refusals too.
 */
export function rateLimit(requestsPerMinute: number, deps: RateLimitDeps): Middleware {
  const requests = createRequestCounter({ ...deps, windowMs: WINDOW_SECONDS * 1000 });
  const polls = createRequestCounter({ ...deps, windowMs: POLL_INTERVAL_SECONDS * 1000 });
  const isPolitePoll = createPolitePolls({ ...deps, counter: polls });
  return async (event, next) => {
    const caller = limitedAs(event);
    if (caller === undefined || (await isPolitePoll(event, caller))) return next();
    const { used, resetMs } = await requests.count(caller, requestsPerMinute);
    const resetSeconds = Math.max(1, Math.ceil(resetMs / 1000));
    setHeaders(event, requestsPerMinute, { remaining: requestsPerMinute - used, resetSeconds });
    if (used > requestsPerMinute) {
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
