import { errors } from 'undici';
import { JobError } from '../../runtime/job-error.ts';
import { connectionCode, isTimeoutCode } from '../../outbound/answers.ts';

/**
 * What a connection threw, sorted. Whether the other side can have seen the request is not told by the error: the same
 * codes come before and after it was sent.
 *
 * @param whileReading the answer had begun
 * @returns the error itself when it is not one of a connection
 */
export function connectionFailure(error: unknown, whileReading: boolean): unknown {
  if (error instanceof JobError) return error;
  // Some kinds of garbage have no code.
  const code = error instanceof errors.HTTPParserError ? error.name : connectionCode(error);
  // Not the error itself: it may hold what was sent, and with it the token.
  const cause = new Error(code ?? String(error));
  if (isTimeout(error) || isTimeoutCode(code)) {
    return new JobError('upstream_timeout', 'The dataset API did not answer in time.', { cause });
  }
  if (code === undefined) return error;
  return whileReading
    ? new JobError('incomplete', 'The dataset API ended its answer too early.', { cause })
    : new JobError('upstream_error', 'The dataset API could not be reached.', { cause });
}

function isTimeout(error: unknown): boolean {
  return error instanceof DOMException && error.name === 'TimeoutError';
}
