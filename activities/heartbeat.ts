import { Context } from '@temporalio/activity';
import type { ActivityProgress } from '../contract/jobs.ts';

const BEAT_MS = 1_000;

/**
 * Heartbeats while the body runs, with the newest progress. The beat comes from a timer and not from the work: a
 * stalled transfer is silent, and only a beat brings a cancellation back.
 */
export async function withHeartbeat<Result>(
  body: (report: (progress: ActivityProgress) => void, signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const context = Context.current();
  let newest: ActivityProgress = { stage: 'waiting' };
  const beat = (): void => context.heartbeat(newest);
  beat();
  const timer = setInterval(beat, BEAT_MS);
  try {
    return await body((progress) => (newest = progress), context.cancellationSignal);
  } finally {
    clearInterval(timer);
  }
}
