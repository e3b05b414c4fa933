import { FAILURE_FAULTS } from '../contract/failures.ts';
import { JobError } from '../runtime/job-error.ts';
import { diskFull, type SpaceGuard } from '../store/files/free-space.ts';
import type { RunningCall } from './source-call.ts';

/**
 * Runs work that fills the disk. It starts only if there is space, and is aborted when the space runs out. The owner of the
 * work folder then removes the files.
 *
 * @throws JobError `disk_full`
 */
export async function withSpace<Result>(
  space: SpaceGuard,
  call: RunningCall,
  body: (call: RunningCall) => Promise<Result>,
): Promise<Result> {
  await space.require();
  const short = new AbortController();
  const stopWatching = space.watch((error) => short.abort(error));
  try {
    return await body({ ...call, signal: AbortSignal.any([call.signal, short.signal]) });
  } catch (error) {
    // Tools do not always report a full disk: yt-dlp may omit a part that it could not write, and half a file has no sound.
    if (mayBeSpace(error) && !call.signal.aborted && (await space.isShort())) throw diskFull(error);
    throw error;
  } finally {
    stopWatching();
  }
}

/** Other failures, such as a private video, do not depend on the disk. */
function mayBeSpace(error: unknown): boolean {
  if (!(error instanceof JobError)) return true;
  return FAILURE_FAULTS[error.code] === 'upstream' || error.code === 'internal' || error.code === 'no_audio';
}
