import { Context } from '@temporalio/activity';
import type { ActivityProgress } from '../contract/job-input.ts';
import { retryStateIn } from '../pacing/retries.ts';

/** A heartbeat is an RPC, and an action in Temporal Cloud, so short work sends none. */
const FIRST_HEARTBEAT_MS = 2_000;
/** Also the longest time until a cancellation arrives. */
const HEARTBEAT_MS = 4_000;

/**
 * Sends heartbeats with the latest progress while the body runs. A timer sends them, because a stalled transfer reports
 * nothing, and only a heartbeat brings a cancellation.
 */
export async function withHeartbeat<Result>(
  body: (report: (progress: ActivityProgress) => void, signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const context = Context.current();
  let latest: ActivityProgress = { stage: 'waiting' };
  // The retry counts of earlier attempts must outlive this worker.
  const retry = retryStateIn(context.info.heartbeatDetails);
  const sendHeartbeat = (): void => {
    context.heartbeat({ ...latest, retry });
    timer = setTimeout(sendHeartbeat, HEARTBEAT_MS);
  };
  let timer = setTimeout(sendHeartbeat, FIRST_HEARTBEAT_MS);
  try {
    return await body((progress) => (latest = progress), context.cancellationSignal);
  } finally {
    clearTimeout(timer);
  }
}
