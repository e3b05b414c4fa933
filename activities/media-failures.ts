import { JobError } from '../runtime/job-error.ts';
import { UnreadableMediaError } from '../media/media-guard.ts';
import { DownloadError, type DownloadProblem } from '../outbound/download-error.ts';

/** How a host of media says that a signed link is over, or that what it leads to has moved. */
const EXPIRED = new Set([403, 404, 410]);

export function hasExpired(error: unknown): boolean {
  return error instanceof DownloadError && error.problem.kind === 'status' && EXPIRED.has(error.problem.statusCode);
}

/**
 * Reads media that the platform sent. What cannot be read although all of it arrived is what the platform has: another
 * download would bring the same, so it is the subject's fault. Half a file is the upstream's.
 */
export async function readingMedia<Result>(isWhole: boolean, read: () => Promise<Result>): Promise<Result> {
  try {
    return await read();
  } catch (error) {
    if (!isWhole || !(error instanceof UnreadableMediaError)) throw error;
    throw new JobError('mediaUnreadable', { cause: error.cause });
  }
}

/** What a download of media threw, as a job tells it. @returns the error itself when it is not theirs */
export function mediaFailure(error: unknown): unknown {
  if (error instanceof DownloadError) return failureOf(error.problem, error);
  return error;
}

function failureOf(problem: DownloadProblem, cause: DownloadError): JobError {
  switch (problem.kind) {
    case 'forbidden':
      return new JobError('addressForbidden', {
        cause,
      });
    case 'status':
      return problem.statusCode === 429
        ? new JobError('mediaHostRateLimited', { cause })
        : new JobError('mediaHostFailed', { cause });
    case 'too_large':
      return new JobError('videoTooLarge', { cause });
    case 'too_slow':
      return new JobError('mediaTooSlow', {
        cause,
      });
    case 'incomplete':
      return new JobError('mediaHostIncomplete', { cause });
    case 'unreachable':
      return problem.error === 'timeout'
        ? new JobError('mediaHostTimeout', { cause })
        : new JobError('mediaHostUnreachable', { cause });
  }
}
