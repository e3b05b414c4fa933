import { createHash } from 'node:crypto';
import { HTTPResponse, type H3Event, type Middleware } from 'h3';
import type { Caller } from '../../contract/http/account-schemas.ts';
import { ApiError } from '../../contract/http/api-error.ts';
import { ulidSchema } from '../../contract/ids.ts';
import { POLL_INTERVAL_SECONDS } from '../../contract/request-limits.ts';
import type { DownloadRecord } from '../../contract/download-record.ts';
import { UPLOADS_PATH } from '../../contract/kinds/upload.ts';
import { WITHOUT_KEY } from '../../contract/http/webhook-delivery.ts';
import { isWithin } from '../../contract/within.ts';
import { makeRoom } from '../../runtime/recent-cache.ts';
import { WINDOW_MS } from '../../store/accounts/request-counts.ts';
import { identityOf, type RateLimitState } from './access-middleware.ts';
import { CALLERS_MAX, createRequestCounter } from './request-counter.ts';
import type { ServiceDeps } from '../service-deps.ts';

/** Free polls per job and minute. A client that polls every 30 s, as `Retry-After` says, sends up to three polls within 60 s. */
const FREE_POLLS = 4;
/** Requests of a caller in a minute that may be polls, as a multiple of the limit: 1,800 jobs polled every 30 s. */
const POLLS_PER_REQUEST = 40;
/** The poll that returns the result arrives up to one interval after the end of the job. */
const ENDED_LATELY_MS = 4 * POLL_INTERVAL_SECONDS * 1000;

interface Polls {
  made: number;
  free: number;
}
interface CallerPolls {
  made: number;
  readonly jobs: Map<string, Polls>;
}

const states = new WeakMap<H3Event, RateLimitState>();

export function rateLimitStateOf(event: H3Event): RateLimitState | undefined {
  return states.get(event);
}

/**
 * Counts requests per key, else per client address, over all processes of the api. Polite polls are free. Routes on which a
 * job can be waited for have `mayPoll` in their `meta`: there a GET is judged by the record that it names, a POST by the jobs
 * that it requests, and a request that names no job by its answer. Everything else is counted before it is served.
 */
export function rateLimit(limit: number, deps: ServiceDeps): Middleware {
  const { records, keyDownloads, now, elapsed } = deps;
  const counter = createRequestCounter(deps, limit);
  const polls = new Map<string, CallerPolls>();
  let pollsEndAt = 0;
  const pollsOf = (caller: string): CallerPolls => {
    if (elapsed() >= pollsEndAt) {
      polls.clear();
      pollsEndAt = elapsed() + WINDOW_MS;
    }
    const known = polls.get(caller);
    if (known !== undefined) return known;
    makeRoom(polls, CALLERS_MAX);
    const fresh = { made: 0, jobs: new Map<string, Polls>() };
    polls.set(caller, fresh);
    return fresh;
  };
  const polled = (caller: string, job: string): Polls => {
    const { jobs } = pollsOf(caller);
    const own = jobs.get(job) ?? { made: 0, free: 0 };
    own.made += 1;
    jobs.set(job, own);
    return own;
  };
  const isFlood = (caller: string): boolean =>
    (pollsOf(caller).made += 1) > limit * POLLS_PER_REQUEST || counter.known(caller).refused >= limit;
  const isUnderWay = (record: DownloadRecord | undefined): boolean =>
    record !== undefined &&
    (record.status === 'pending' || isWithin(Date.parse(record.finishedAt), ENDED_LATELY_MS, now()));
  /** After a failure a new job is started, and a caller who has not requested the job before does so now. */
  const isRepeated = async (caller: Caller, { id, status, startedBy }: DownloadRecord): Promise<boolean> =>
    status !== 'failed' && (caller.kind === 'key' ? keyDownloads.has(caller.key.id, id) : startedBy === WITHOUT_KEY);

  return async (event, next) => {
    const identity = identityOf(event);
    if (identity === undefined) return next();
    const { limitedAs, caller } = identity;
    // A file arrives in as many parts as the network cuts it into.
    if (event.req.method === 'PATCH' && 'kind' in caller && event.url.pathname.startsWith(`${UPLOADS_PATH}/`))
      return next();
    const isRead = event.req.method === 'GET' || event.req.method === 'HEAD';
    const [id = ''] = Object.values(event.context.params ?? {});
    let count = counter.known(limitedAs);
    let state: 'new' | 'free' | 'counted' = 'new';
    const take = async (cost: number, waits = !isRead): Promise<void> => {
      state = 'counted';
      count = await counter.count(limitedAs, cost, !waits);
      if (count.used <= limit) return;
      const retryAfterSeconds = secondsUntil(count.endsAt - elapsed());
      throw new ApiError('rate_limited', `More than ${String(limit)} requests a minute.`, { retryAfterSeconds });
    };
    const takeOther = async () => (state === 'new' ? take(1) : undefined);
    /** If a caller polls one job more often than is free, all of its polls are counted as soon as that is detected. */
    const takeFor = async (own: Polls, isPoll: boolean, waits?: boolean): Promise<void> => {
      // A request that looked like a poll may start a job after all.
      if (state === 'counted' || (state === 'free' && isPoll)) return;
      const cost = own.made > FREE_POLLS ? 1 + own.free : Number(!isPoll);
      own.free = own.made > FREE_POLLS ? 0 : own.free + Number(isPoll);
      if (cost === 0) state = 'free';
      else await take(cost, waits);
    };
    const takeLate = async (job: string) => (state === 'new' ? takeFor(polled(limitedAs, job), true) : undefined);
    let isCountedFirst = false;
    try {
      const mayPoll = event.context.matchedRoute?.meta?.['mayPoll'] === true && 'kind' in caller;
      // An ID of another form names no record, so it is neither stored nor looked up.
      if (!mayPoll || (isRead && !ulidSchema.safeParse(id).success) || isFlood(limitedAs)) await takeOther();
      else if (isRead) {
        const found = await records.getKnown(id);
        states.set(event, { found });
        isCountedFirst = !isUnderWay(found);
        await (isCountedFirst ? takeOther() : takeFor(polled(limitedAs, id), true));
      } else {
        const admitJobs: RateLimitState['admitJobs'] = async (subjects, isAnswered) => {
          const own = polled(limitedAs, digestOf(subjects.map(({ subjectId }) => subjectId).join(' ')));
          const found = subjects.map(({ latest }) => latest);
          const isPoll =
            found.some(isUnderWay) &&
            (await Promise.all(found.map(async (one) => one !== undefined && isRepeated(caller, one)))).every(Boolean);
          await takeFor(own, isPoll, !isAnswered);
        };
        states.set(event, { admitJobs });
      }
      const answer = await next();
      if (answer instanceof HTTPResponse && answer.status === 202 && mayPoll) {
        // A GET about an audio that was fetched long ago may be answered by a job that runs.
        if (isCountedFirst) {
          count = await counter.count(limitedAs, -1, isRead);
          state = 'new';
        }
        await takeLate(isRead ? id : digestOf(String(answer.body)));
      }
      return answer;
    } catch (error) {
      const { id: job, retryAfterSeconds } = error instanceof ApiError ? error.extras : {};
      // For example a list whose profile is still being fetched.
      if (job !== undefined && retryAfterSeconds !== undefined) await takeLate(job);
      throw error;
    } finally {
      await takeOther().finally(() => {
        const { headers } = event.res;
        headers.set('RateLimit-Limit', String(limit));
        headers.set('RateLimit-Remaining', String(Math.max(0, limit - count.used)));
        headers.set('RateLimit-Reset', String(secondsUntil(count.endsAt - elapsed())));
        headers.set('RateLimit-Policy', `${String(limit)};w=${String(WINDOW_MS / 1000)}`);
      });
    }
  };
}

/** Subjects and answers may be long, so only a hash of them is stored. */
function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('base64');
}

function secondsUntil(ms: number): number {
  return Math.max(1, Math.ceil(ms / 1000));
}
