import { JobError } from '../runtime/job-error.ts';
import { UnreadableMediaError } from '../media/media-guard.ts';
import { DownloadError, type DownloadProblem } from '../outbound/download-error.ts';

/** The statuses with which a media host answers an expired link. */
const EXPIRED = new Set([403, 404, 410]);

export function hasExpired(error: unknown): boolean {
  return error instanceof DownloadError && error.problem.kind === 'status' && EXPIRED.has(error.problem.statusCode);
}

/** How ffmpeg reports a container or codec that is not in the lists of media/media-guard.ts, or that it does not know. */
const UNKNOWN_FORMAT = /not on whitelist|no decoder found|Decoder .*not found|could not find codec parameters/i;

/**
 * Reads media from the platform. Media in a format that is not converted, and unreadable media that arrived completely is the subject's fault, because another download
 * would bring the same. Unreadable media that is incomplete is the upstream's fault.
 */
export async function readingMedia<Result>(isWhole: boolean, read: () => Promise<Result>): Promise<Result> {
  try {
    return await read();
  } catch (error) {
    if (!(error instanceof UnreadableMediaError)) throw error;
    const isFormat = error.cause instanceof Error && UNKNOWN_FORMAT.test(error.cause.message);
    if (isFormat) throw new JobError('mediaFormatUnsupported', { cause: error.cause });
    if (!isWhole) throw error;
    throw new JobError('mediaUnreadable', { cause: error.cause });
  }
}

/** @returns the failure of a job for an error of a download; any other error unchanged */
export function mediaFailure(error: unknown): unknown {
  if (error instanceof DownloadError) return failureOf(error.problem, error);
  return error;
}

function failureOf(problem: DownloadProblem, cause: DownloadError): JobError {
  switch (problem.kind) {
    case 'forbidden':
      return new JobError('addressForbidden', { cause });
    case 'status':
      return problem.statusCode === 429
        ? new JobError('mediaHostRateLimited', { cause })
        : new JobError('mediaHostFailed', { cause });
    case 'too_large':
      return new JobError('videoTooLarge', { cause });
    case 'too_slow':
      return new JobError('mediaTooSlow', { cause });
    case 'incomplete':
      return new JobError('mediaHostIncomplete', { cause });
    case 'unreachable':
      return problem.error === 'timeout'
        ? new JobError('mediaHostTimeout', { cause })
        : new JobError('mediaHostUnreachable', { cause });
  }
}
