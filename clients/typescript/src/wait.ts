import { failureOf, isFailed, TapedeckError } from './client-errors.ts';
import { followEvents } from './follow-events.ts';
import type { Client } from './generated/client/index.ts';
import type { JobResult, Progress } from './generated/types.gen.ts';

export interface WaitOptions {
  readonly signal?: AbortSignal | undefined;
  /** Called with the progress of the job whenever it changes. */
  readonly onProgress?: ((progress: Progress) => void) | undefined;
}

/**
 * Waits until a job ends, without a time limit.
 * @param id the ID of the download
 * @returns the result of the job, as a webhook delivers it
 * @throws JobFailedError, TapedeckError
 */
export async function waitFor(
  client: Client,
  id: string,
  { signal, onProgress }: WaitOptions = {},
): Promise<JobResult> {
  let last: JobResult | undefined;
  for await (const result of followEvents(client, id, { signal })) {
    last = result;
    const progress = progressOf(result);
    if (progress !== undefined) onProgress?.(progress);
  }
  if (last === undefined) {
    throw new TapedeckError('The event stream ended without the state of the job.', { code: 'unexpected_answer' });
  }
  if (isFailed(last)) throw failureOf(last);
  return last;
}

/** Returns the progress of a running job; for a list, that of the posts first. */
function progressOf(result: JobResult): Progress | undefined {
  const summary = 'data' in result ? result.data : result;
  const progress = 'progress' in summary ? summary.progress : undefined;
  if (progress === undefined || 'stage' in progress) return progress;
  return progress.posts ?? progress.reels;
}
