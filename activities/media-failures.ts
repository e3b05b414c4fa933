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
    throw new JobError('unsupported', 'The media that the platform has cannot be read.', { cause: error.cause });
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
      return new JobError('unsupported', 'The platform links to media at an address that must not be called.', {
        cause,
      });
    case 'status':
      return problem.statusCode === 429
        ? new JobError('rate_limited', "The platform's media host asks us to slow down.", { cause })
        : new JobError('upstream_error', "The platform's media host could not deliver.", { cause });
    case 'too_large':
      return new JobError('too_large', 'The video is larger than this service accepts.', { cause });
    case 'too_slow':
      return new JobError(
        'too_large',
        'The media come so slowly that fetching them takes longer than this service allows.',
        {
          cause,
        },
      );
    case 'incomplete':
      return new JobError('incomplete', "The platform's media host ended its answer too early.", { cause });
    case 'unreachable':
      return problem.error === 'timeout'
        ? new JobError('upstream_timeout', "The platform's media host did not answer in time.", { cause })
        : new JobError('upstream_error', "The platform's media host could not be reached.", { cause });
  }
}
