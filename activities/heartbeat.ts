import { Context } from '@temporalio/activity';
import type { ActivityProgress } from '../contract/job-input.ts';
import { retryStateIn } from '../pacing/retries.ts';

/** Each beat is a call of the server, and an action in Temporal Cloud: work that is quickly done sends none. */
const FIRST_BEAT_MS = 2_000;
/** A cancellation takes as long to arrive. */
const BEAT_MS = 4_000;

/**
 * Heartbeats while the body runs, with the newest progress. The beat comes from a timer and not from the work: a
 * stalled transfer is silent, and only a beat brings a cancellation back.
 */
export async function withHeartbeat<Result>(
  body: (report: (progress: ActivityProgress) => void, signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const context = Context.current();
  let newest: ActivityProgress = { stage: 'waiting' };
  // What earlier attempts have used up must outlive this worker, too.
  const retry = retryStateIn(context.info.heartbeatDetails);
  const beat = (): void => {
    context.heartbeat({ ...newest, retry });
    timer = setTimeout(beat, BEAT_MS);
  };
  let timer = setTimeout(beat, FIRST_BEAT_MS);
  try {
    return await body((progress) => (newest = progress), context.cancellationSignal);
  } finally {
    clearTimeout(timer);
  }
}
