import type { H3Event, Middleware } from 'h3';
import type { Logger } from 'pino';
import { ApiError } from '../contract/errors.ts';
import type { AwaitedStore } from '../store/awaited.ts';
import type { RecordStore } from '../store/records.ts';
import type { WindowStore } from '../store/windows.ts';
import { awaitedOf, noteAwaited } from './access/awaited.ts';
import { limitedAs } from './access/gate.ts';
import { createPolls } from './access/polls.ts';
import { createRequestCounter } from './access/request-counter.ts';

export interface RateLimitDeps {
  readonly windows: WindowStore;
  readonly awaited: AwaitedStore;
  readonly records: Pick<RecordStore, 'get'>;
  readonly now: () => number;
  readonly log: Logger;
}

const WINDOW_SECONDS = 60;

/**
 * Counts requests per key, else per client address, over all processes of the api. The state is told in `RateLimit-*`
 * headers, on refusals too. Polls are free when they are polite.
 */
export function rateLimit(requestsPerMinute: number, deps: RateLimitDeps): Middleware {
  const count = createRequestCounter({ ...deps, limit: requestsPerMinute, windowMs: WINDOW_SECONDS * 1000 });
  const polls = createPolls(deps);
  return async (event, next) => {
    const caller = limitedAs(event);
    if (caller === undefined) return next();
    // To tell a poll takes the body. A request whose body breaks off, or never comes, is counted all the same.
    const judged = await polls.judge(event, caller).catch((error: unknown) => ({ isPoll: false, error }));
    const { used, resetMs, isFree } = await count(caller, judged);
    const resetSeconds = Math.max(1, Math.ceil(resetMs / 1000));
    setHeaders(event, requestsPerMinute, { remaining: requestsPerMinute - used, resetSeconds });
    if (used > requestsPerMinute && !isFree) {
      throw new ApiError('rate_limited', `More than ${String(requestsPerMinute)} requests a minute.`, {
        retryAfterSeconds: resetSeconds,
      });
    }
    if ('error' in judged) throw judged.error;
    try {
      return await next();
    } catch (error) {
      if (isTryLater(error)) noteAwaited(event, { download_id: error.extras.id });
      throw error;
    } finally {
      await polls.note(event, caller, awaitedOf(event)).catch((error: unknown) => {
        deps.log.warn({ err: error }, 'a request that waits was not noted: its repetitions are counted');
      });
    }
  };
}

/** Such as a list of a profile that is still being fetched. */
function isTryLater(error: unknown): error is ApiError {
  return error instanceof ApiError && error.extras.retryAfterSeconds !== undefined && error.extras.id !== undefined;
}

function setHeaders(event: H3Event, limit: number, state: { remaining: number; resetSeconds: number }): void {
  const { headers } = event.res;
  headers.set('RateLimit-Limit', String(limit));
  headers.set('RateLimit-Remaining', String(Math.max(0, state.remaining)));
  headers.set('RateLimit-Reset', String(state.resetSeconds));
  headers.set('RateLimit-Policy', `${String(limit)};w=${String(WINDOW_SECONDS)}`);
}
