import { failureFor } from '../../../contract/failures.ts';
import { JobError } from '../../../runtime/job-error.ts';
import { startDeadline } from '../../../runtime/deadline.ts';
import { CpuTimeError } from '../../../runtime/subprocess/run-program.ts';
import { SUBJECT_VALUES, type Subject } from './yt-dlp-failures.ts';

/** What reading a page, with all that it leads to, may take. The media that follow have limits of their own. */
export interface ReadingLimits {
  readonly timeoutMs: number;
  /** Of the whole run; where media follow, it includes the work of their transfer. */
  readonly maxCpuSeconds: number;
  /** As they come over the network. Counted by our own proxy, thus not where the operator has set another one. */
  readonly maxBytes: number;
}

/** A page of the video platform takes seconds, most of them for its JavaScript. */
export const PAGE_LIMITS: ReadingLimits = { timeoutMs: 120_000, maxCpuSeconds: 60, maxBytes: 64 * 1024 ** 2 };
/** Of a run that brings media, or a long list: gigabytes take minutes of processor time. */
export const LONG_RUN_CPU_SECONDS = 1_800;

const COUNT_EVERY_MS = 250;

/** Watches one run of yt-dlp while it reads. */
export interface Reading {
  /** Aborted at a limit, with a `JobError`. */
  readonly signal: AbortSignal;
  /** A part of a list has come: the next one has all of time and bytes again. */
  readonly restart: () => void;
  /** The page has been read. */
  readonly end: () => void;
  /** @returns what a run threw, as a failure of the reading where that was at fault */
  readonly failureOf: (error: unknown) => unknown;
}

/** @param receivedBytes what has come so far */
export function startReading(subject: Subject, limits: ReadingLimits, receivedBytes: () => number): Reading {
  const words = SUBJECT_VALUES[subject];
  let isReading = true;
  let fromBytes = 0;
  const late = (): JobError => {
    // A caller chose the page: it is not tried again. The platform may be busy, or the line to it down.
    const reason = subject === 'page' ? 'pageTooSlow' : 'upstreamPageTooSlow';
    return new JobError(failureFor(reason, words));
  };
  const deadline = startDeadline({ timeoutMs: limits.timeoutMs, late });
  const counter = setInterval(() => {
    if (receivedBytes() - fromBytes <= limits.maxBytes) return;
    deadline.abort(new JobError(failureFor('pageTooLarge', words)));
  }, COUNT_EVERY_MS);
  return {
    signal: deadline.signal,
    restart: () => {
      fromBytes = receivedBytes();
      deadline.restart();
    },
    end: () => {
      isReading = false;
      clearInterval(counter);
      deadline.end();
    },
    failureOf: (error) => {
      if (error instanceof CpuTimeError) {
        return new JobError(isReading ? failureFor('pageTooMuchWork', words) : 'fileTooMuchWork', { cause: error });
      }
      const isLate = error instanceof JobError && error.code === 'upstream_timeout';
      return isReading && isLate ? Object.assign(late(), { cause: error.cause }) : error;
    },
  };
}
