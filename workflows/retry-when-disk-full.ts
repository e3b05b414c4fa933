import { sleep } from '@temporalio/workflow';
import type { Waiting } from '../runtime/pacing.ts';
import { failureOf } from './outcome.ts';

/** What was freed by another job is soon taken up; what an operator must free takes longer. The last one is repeated. */
const DELAYS_SECONDS = [10, 30, 60, 120, 300] as const;
const LAST_DELAY_SECONDS = 300;
/** All waits of a job together: somebody is called out in that time, or nobody comes. */
const MAX_WAIT_SECONDS = 12 * 3600;

/**
 * Does work that may find the disk full, and waits until there is space: a full disk is nobody's fault, and uses up no attempt.
 *
 * @param show told why the job waits and until when, and again without it when it goes on
 * @returns a function that does the work until it ends otherwise, or 12 hours of waiting are over
 */
export function createRetryWhenDiskFull(show: (waiting: Waiting | undefined) => void) {
  let waits = 0;
  let waitedSeconds = 0;
  return async <Result>(work: () => Promise<Result>): Promise<Result> => {
    for (;;) {
      try {
        return await work();
      } catch (error) {
        const { code, message } = failureOf(error);
        if (code !== 'disk_full' || waitedSeconds >= MAX_WAIT_SECONDS) throw error;
        const seconds = DELAYS_SECONDS[waits] ?? LAST_DELAY_SECONDS;
        waits += 1;
        waitedSeconds += seconds;
        show({ reason: message, until: new Date(Date.now() + seconds * 1000).toISOString() });
        try {
          await sleep(seconds * 1000, { summary: `no space left, attempt ${waits}` });
        } finally {
          show(undefined);
        }
      }
    }
  };
}
