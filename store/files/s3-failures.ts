import { S3ServiceException } from '@aws-sdk/client-s3';
import { JobError } from '../../runtime/job-error.ts';
import { StoreAwayError } from './file-store.ts';

/** How servers say that they are full, beside status 507. */
const FULL = new Set(['InsufficientStorage', 'QuotaExceeded', 'XMinioStorageFull', 'XMinioAdminBucketQuotaExceeded']);
/** What another try may mend: 5xx, too many requests, a clock that will be right again. */
const PASSING = new Set(['RequestTimeout', 'SlowDown', 'RequestTimeTooSkewed']);
/** The connection broke or never came about: codes of Node, and names of the SDK. */
const UNREACHABLE = new Set([
  ...['ECONNREFUSED', 'ECONNRESET', 'ECONNABORTED', 'EPIPE', 'ETIMEDOUT', 'EHOSTUNREACH', 'ENETUNREACH', 'ENOTFOUND'],
  ...['EAI_AGAIN', 'ERR_STREAM_PREMATURE_CLOSE', 'TimeoutError', 'AbortError', 'NetworkingError'],
]);

/** Runs a call of S3; what it throws says whether the store is full, away, or wrongly configured. */
export async function onS3<Result>(call: () => Promise<Result>): Promise<Result> {
  try {
    return await call();
  } catch (error) {
    throw sorted(error);
  }
}

/** Whether there is no such object, upload or bucket. */
export function isNotFound(error: unknown): boolean {
  return error instanceof S3ServiceException && error.$metadata.httpStatusCode === 404;
}

/** For a call that may find nothing. */
export function orMissing(error: unknown): undefined {
  if (!isNotFound(error)) throw error;
}

/** Whether the object is not the one that was meant (`If-Match`). */
export function isReplaced(error: unknown): boolean {
  return error instanceof S3ServiceException && error.$metadata.httpStatusCode === 412;
}

function sorted(error: unknown): unknown {
  if (error instanceof S3ServiceException) {
    const status = error.$metadata.httpStatusCode ?? 0;
    if (status === 507 || FULL.has(error.name)) {
      return new JobError('fileStoreFull', { cause: error });
    }
    const isPassing = status >= 500 || status === 429 || PASSING.has(error.name);
    return isPassing ? new StoreAwayError(`the file store answered ${error.name}`, { cause: error }) : error;
  }
  const { code, name } = error as { code?: unknown; name?: unknown };
  const isAway = [code, name].some((word) => typeof word === 'string' && UNREACHABLE.has(word));
  return isAway ? new StoreAwayError('the file store cannot be reached', { cause: error }) : error;
}
