import { isFailed, JobFailedError, sentenceOf, TapedeckError } from './client-errors.ts';
import { followEvents } from './follow-events.ts';
import type { Client } from './generated/client/index.ts';
import type { JobResult, Progress } from './generated/types.gen.ts';

export interface WaitOptions {
  readonly signal?: AbortSignal | undefined;
  /** Told of what the job does, whenever that changes. */
  readonly onProgress?: ((progress: Progress) => void) | undefined;
}

/**
 * Waits until a job has ended, however long that takes.
 *
 * @param id of the download
 * @returns what its webhook brings
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
    throw new TapedeckError('The service told nothing of the job.', { code: 'unexpected_answer' });
  }
  if (isFailed(last)) throw new JobFailedError(sentenceOf(last), last);
  return last;
}

/** What a running job does; of a list, the part that is told first. */
function progressOf(result: JobResult): Progress | undefined {
  const told = 'data' in result ? result.data : result;
  const progress = 'progress' in told ? told.progress : undefined;
  if (progress === undefined || 'stage' in progress) return progress;
  return progress.posts ?? progress.reels;
}
