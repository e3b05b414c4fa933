import { ActivityFailure, sleep } from '@temporalio/workflow';
import type { JobResult } from '../../contract/download-record.ts';
import { reportedIn } from '../../pacing/retries.ts';
import { whileWaiting } from '../lifecycle/while-waiting.ts';

const MAX_WAIT_MS = 7 * 86_400_000;
/** A start may be moved to an earlier time. */
const LONGEST_PAUSE_MS = 12 * 3_600_000;
const SHORTEST_PAUSE_MS = 30_000;
/** Broadcasts begin a little late. */
const MARGIN_MS = 10_000;

/**
 * Fetches a premiere or an announced broadcast when it has started, or ended if a running one cannot be fetched. A late start
 * is awaited by pauses as long as it is late, so that a history of days has tens of looks.
 *
 * @throws what the last attempt threw, if no start is announced or the wait would be too long
 */
export async function onceStarted(fetch: () => Promise<JobResult>): Promise<JobResult> {
  const deadlineMs = Date.now() + MAX_WAIT_MS;
  for (let startsAtMs: number | undefined; ;) {
    try {
      return await fetch();
    } catch (error) {
      const found = error instanceof ActivityFailure ? reportedIn(error.cause) : undefined;
      if (found?.code === 'not_started') startsAtMs = found.retryAtMs ?? startsAtMs;
      else if (found?.code !== 'live') throw error;
      if (startsAtMs === undefined) throw error;
      const now = Date.now();
      const pauseMs = startsAtMs > now ? startsAtMs - now + MARGIN_MS : Math.max(SHORTEST_PAUSE_MS, now - startsAtMs);
      if (now + pauseMs > deadlineMs) throw error;
      const reason =
        found.code === 'live' ? found.message : `The start is announced for ${new Date(startsAtMs).toISOString()}.`;
      const waitMs = Math.min(pauseMs, LONGEST_PAUSE_MS);
      const until = new Date(now + waitMs).toISOString();
      await whileWaiting({ reason, until }, `${reason} The page is read again at ${until}.`, () => sleep(waitMs));
    }
  }
}
