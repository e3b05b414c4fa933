import { JobError } from '../../../runtime/job-error.ts';
import { startDeadline } from '../../../runtime/deadline.ts';
import { CpuTimeError } from '../../../runtime/subprocess/run-program.ts';
import { subjectError, type Subject } from './yt-dlp-failures.ts';

/** The limits for reading a page and everything that it leads to, except the media. */
export interface ReadingLimits {
  readonly timeoutMs: number;
  /** The limit for the whole run, including the transfer of media. */
  readonly maxCpuSeconds: number;
  /** Counted by the built-in proxy, so there is no limit with YTDLP_PROXY. */
  readonly maxBytes: number;
}

/** A page of the video platform takes seconds, most of them for its JavaScript. */
export const PAGE_LIMITS: ReadingLimits = { timeoutMs: 120_000, maxCpuSeconds: 60, maxBytes: 64 * 1024 ** 2 };
/** For media and long lists: gigabytes take minutes of processor time. */
export const LONG_RUN_CPU_SECONDS = 1_800;

const COUNT_EVERY_MS = 250;

export type Reading = ReturnType<typeof startReading>;

export function startReading(subject: Subject, limits: ReadingLimits, receivedBytes: () => number) {
  let isReading = true;
  let fromBytes = 0;
  // A slow page of any site is final. The platform may only be busy, so its pages are retried.
  const late = (cause?: unknown): JobError =>
    subjectError(subject === 'page' ? 'pageTooSlow' : 'upstreamPageTooSlow', subject, cause);
  const deadline = startDeadline({ timeoutMs: limits.timeoutMs, late });
  const counter = setInterval(() => {
    if (receivedBytes() - fromBytes <= limits.maxBytes) return;
    deadline.abort(subjectError('pageTooLarge', subject));
  }, COUNT_EVERY_MS);
  return {
    /** Aborted at a limit, with a `JobError`. */
    signal: deadline.signal,
    /** Called when a part of a list has arrived: the limits begin again. */
    restart: (): void => {
      fromBytes = receivedBytes();
      deadline.restart();
    },
    end: (): void => {
      isReading = false;
      clearInterval(counter);
      deadline.end();
    },
    /** @returns the failure of the reading, if a limit of it caused the error */
    failureOf: (error: unknown): unknown => {
      if (error instanceof CpuTimeError) {
        return isReading
          ? subjectError('pageTooMuchWork', subject, error)
          : new JobError('fileTooMuchWork', { cause: error });
      }
      const isLate = error instanceof JobError && error.code === 'upstream_timeout';
      return isReading && isLate ? late(error.cause) : error;
    },
  };
}
