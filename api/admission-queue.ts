import { ApiError } from '../contract/http/api-error.ts';

/**
 * A higher concurrency accepts no request sooner, since the engines are the limit. Two cores that also run the engines accept
 * 100 to 150 requests a second, or half as many while workers execute the jobs. All times are in milliseconds.
 */
export const ADMISSION_DEFAULTS = {
  concurrency: 16,
  /** A request that has waited for this long is processed in addition to those. */
  lateAfterMs: 5_000,
  lateConcurrency: 64,
  maxWaitMs: 30_000,
  /** The expected time between the start of one request and the start of the next. */
  msPerRequest: 10,
  /** While requests wait, a new job starts no sooner than this after it was accepted. */
  minStartDelayMs: 250,
  maxStartDelayMs: 5_000,
};
export type AdmissionQueueOptions = Readonly<typeof ADMISSION_DEFAULTS>;

export interface AdmissionSlot {
  readonly releaseDuring: (wait: () => Promise<void>) => Promise<void>;
  /** In milliseconds: about what the queue needs for the waiting requests, since the first steps of a job cost as much. */
  readonly startDelayMs: () => number;
}

export type AdmissionQueue = ReturnType<typeof createAdmissionQueue>;

interface WaitingRequest {
  isLate: boolean;
  readonly begin: () => void;
}

/**
 * Processes requests for jobs in the order of their arrival, a few at a time, so that the first requests of a burst are
 * answered at once. Late requests have additional slots, because a hanging engine may block all regular ones.
 */
export function createAdmissionQueue(options: AdmissionQueueOptions) {
  const { concurrency, lateAfterMs, lateConcurrency, maxWaitMs, msPerRequest } = options;
  const waiting = new Set<WaitingRequest>();
  let acquired = 0;
  let lastStartAtMs = 0;
  const expectedDelayMs = (): number => {
    if (waiting.size === 0) return 0;
    return Math.min(Math.max(waiting.size * msPerRequest, options.minStartDelayMs), options.maxStartDelayMs);
  };
  const startDelayMs = (): number => {
    const now = performance.now();
    // Jobs start in the order in which they were accepted.
    lastStartAtMs = Math.max(lastStartAtMs, now + expectedDelayMs());
    return Math.ceil(lastStartAtMs - now);
  };
  const dispatch = (): void => {
    for (const request of waiting) {
      if (acquired >= (request.isLate ? concurrency + lateConcurrency : concurrency)) return;
      acquired += 1;
      waiting.delete(request);
      request.begin();
    }
  };
  const acquire = (): Promise<void> =>
    new Promise((resolve, reject) => {
      const late = setTimeout(() => {
        request.isLate = true;
        dispatch();
      }, lateAfterMs);
      const expired = setTimeout(() => {
        waiting.delete(request);
        const message = 'Too many requests for jobs arrived at once. Try again soon.';
        reject(new ApiError('unavailable', message, { retryAfterSeconds: 5 }));
      }, maxWaitMs);
      const begin = (): void => {
        clearTimeout(late);
        clearTimeout(expired);
        resolve();
      };
      const request: WaitingRequest = { isLate: false, begin };
      waiting.add(request);
      dispatch();
    });
  const release = (): void => {
    acquired -= 1;
    dispatch();
  };
  return {
    async run<Result>(work: (slot: AdmissionSlot) => Promise<Result>): Promise<Result> {
      await acquire();
      const held = { slot: true };
      const releaseDuring: AdmissionSlot['releaseDuring'] = async (wait) => {
        held.slot = false;
        release();
        await wait();
        await acquire();
        held.slot = true;
      };
      try {
        return await work({ releaseDuring, startDelayMs });
      } finally {
        if (held.slot) release();
      }
    },
  };
}
