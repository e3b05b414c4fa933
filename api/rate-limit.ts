import { HTTPResponse, type H3Event, type Middleware } from 'h3';
import type { Caller } from '../contract/accounts.ts';
import { ApiError } from '../contract/errors.ts';
import { POLL_INTERVAL_SECONDS } from '../contract/limits.ts';
import type { DownloadRecord } from '../contract/records.ts';
import { WITHOUT_KEY } from '../contract/webhooks.ts';
import { WINDOW_MS, type RequestCount } from '../store/request-counts.ts';
import { identityOf } from './access/access-middleware.ts';
import { createRequestCounter } from './access/request-counter.ts';
import type { ServiceDeps } from './deps.ts';

/** Of one job in a minute. Whoever asks every 30 s, as answers tell, has up to three polls arrive within 60 s. */
const FREE_POLLS = 4;
/** What may be polls of a caller in a minute, as a multiple of the limit: 1,800 jobs that are asked for every 30 s. */
const POLLS_PER_REQUEST = 40;
/** The poll that brings the result comes up to an interval after the end of the job. */
const ENDED_LATELY_MS = 4 * POLL_INTERVAL_SECONDS * 1000;

/** What may be polls, and as many of them as were free. */
interface Polls {
  made: number;
  free: number;
}

/**
 * Counts requests per key, else per client address, over all processes of the api. Polite polls are free. Routes on which a
 * job can be waited for say `mayPoll` in their `meta`: there a GET is judged by the record that it names, a POST when it
 * comes to its jobs, and what comes to none by its answer. Everything else is counted before it is done.
 */
export function rateLimit(limit: number, deps: ServiceDeps): Middleware {
  const { records, keyDownloads, now } = deps;
  const counter = createRequestCounter(deps, limit);
  /** Those of this minute, by caller, and by caller and job. */
  const polls = new Map<string, Polls>();
  let pollsEndMs = 0;
  const madeAgain = (caller: string, job = '') => {
    const key = `${caller} ${job}`;
    if (now() >= pollsEndMs) {
      polls.clear();
      pollsEndMs = now() + WINDOW_MS;
    }
    const own = polls.get(key) ?? { made: 0, free: 0 };
    own.made += 1;
    polls.set(key, own);
    return own;
  };
  const isUnderWay = (record: DownloadRecord | undefined): boolean =>
    record !== undefined && (record.status === 'pending' || now() < Date.parse(record.finishedAt) + ENDED_LATELY_MS);
  /** After a failure a new job is started, and who has not asked for a job before does so now. */
  const isRepeated = async (caller: Caller, { id, status, startedBy }: DownloadRecord): Promise<boolean> =>
    status !== 'failed' && (caller.kind === 'key' ? keyDownloads.has(caller.key.id, id) : startedBy === WITHOUT_KEY);

  return async (event, next) => {
    const identity = identityOf(event);
    if (identity === undefined) return next();
    const { limitedAs, caller } = identity;
    const isRead = event.req.method === 'GET' || event.req.method === 'HEAD';
    let count = counter.known(limitedAs);
    let state: 'new' | 'free' | 'counted' = 'new';
    const take = async (cost: number, waits = !isRead): Promise<void> => {
      state = 'counted';
      count = await counter.count(limitedAs, cost, !waits);
      if (count.used <= limit) return;
      const retryAfterSeconds = secondsLeft(count, now());
      throw new ApiError('rate_limited', `More than ${String(limit)} requests a minute.`, { retryAfterSeconds });
    };
    const takeOther = async () => (state === 'new' ? take(1) : undefined);
    /** Whoever asks more often for one job than is free is counted from the first time on, a burst as soon as it is seen. */
    const takeFor = async (own: Polls, isPoll: boolean, waits?: boolean): Promise<void> => {
      // What was taken for a poll may turn out to start a job after all.
      if (state === 'counted' || (state === 'free' && isPoll)) return;
      const cost = own.made > FREE_POLLS ? 1 + own.free : Number(!isPoll);
      own.free = own.made > FREE_POLLS ? 0 : own.free + Number(isPoll);
      if (cost === 0) state = 'free';
      else await take(cost, waits);
    };
    const takeLate = async (job: string) => (state === 'new' ? takeFor(madeAgain(limitedAs, job), true) : undefined);
    let isCountedFirst = false;
    try {
      const mayPoll = event.context.matchedRoute?.meta?.['mayPoll'] === true && 'kind' in caller;
      if (!mayPoll || madeAgain(limitedAs).made > limit * POLLS_PER_REQUEST) await takeOther();
      else if (isRead) {
        const [id = ''] = Object.values(event.context.params ?? {});
        const own = madeAgain(limitedAs, id);
        identity.found = await records.get(id);
        isCountedFirst = !isUnderWay(identity.found);
        await (isCountedFirst ? takeOther() : takeFor(own, true));
      } else {
        identity.admitJobs = async (subjects, isAnswered) => {
          const own = madeAgain(limitedAs, subjects.map(({ subjectId }) => subjectId).join(' '));
          const found = subjects.map(({ latest }) => latest);
          const isPoll =
            found.some(isUnderWay) &&
            (await Promise.all(found.map(async (one) => one !== undefined && isRepeated(caller, one)))).every(Boolean);
          await takeFor(own, isPoll, !isAnswered);
        };
      }
      const answer = await next();
      if (answer instanceof HTTPResponse && answer.status === 202 && mayPoll) {
        // A GET about an audio that was fetched long ago may be answered by a job that runs.
        if (isCountedFirst) {
          count = await counter.count(limitedAs, -1, isRead);
          state = 'new';
        }
        await takeLate(String(answer.body));
      }
      return answer;
    } catch (error) {
      const { id, retryAfterSeconds } = error instanceof ApiError ? error.extras : {};
      // Such as a list of a profile that is still being fetched.
      if (id !== undefined && retryAfterSeconds !== undefined) await takeLate(id);
      throw error;
    } finally {
      await takeOther().finally(() => setHeaders(event, limit, { ...count, nowMs: now() }));
    }
  };
}

function setHeaders(event: H3Event, limit: number, count: RequestCount & { readonly nowMs: number }): void {
  event.res.headers.set('RateLimit-Limit', String(limit));
  event.res.headers.set('RateLimit-Remaining', String(Math.max(0, limit - count.used)));
  event.res.headers.set('RateLimit-Reset', String(secondsLeft(count, count.nowMs)));
  event.res.headers.set('RateLimit-Policy', `${String(limit)};w=${String(WINDOW_MS / 1000)}`);
}

function secondsLeft({ startMs }: RequestCount, nowMs: number): number {
  return Math.max(1, Math.ceil((startMs + WINDOW_MS - nowMs) / 1000));
}
