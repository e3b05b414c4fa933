import { FAILURE_FAULTS } from '../contract/failures.ts';
import { JobError } from '../runtime/job-error.ts';
import { diskFull, type SpaceGuard } from '../store/files/free-space.ts';
import type { RunningCall } from './source-call.ts';

/**
 * Runs what fills the disk: there is space when it begins, and it stops when there is none left. Its files are removed by
 * whoever opened the folder, at once.
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
  const stopLooking = space.watch((error) => short.abort(error));
  try {
    return await body({ ...call, signal: AbortSignal.any([call.signal, short.signal]) });
  } catch (error) {
    // Tools do not always say what ails them: yt-dlp may leave out a piece that it could not write, and half a file has no sound.
    if (mayBeSpace(error) && !call.signal.aborted && (await space.isShort())) throw diskFull(error);
    throw error;
  } finally {
    stopLooking();
  }
}

/** A private video stays private, and a missing tool missing, however full the disk is. */
function mayBeSpace(error: unknown): boolean {
  if (!(error instanceof JobError)) return true;
  return FAILURE_FAULTS[error.code] === 'upstream' || error.code === 'internal' || error.code === 'no_audio';
}
