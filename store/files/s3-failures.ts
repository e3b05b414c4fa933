import { S3ServiceException } from '@aws-sdk/client-s3';
import { JobError } from '../../runtime/job-error.ts';
import { StoreAwayError } from './file-store.ts';

/** Error codes of servers that are full, beside status 507. */
const FULL = new Set(['InsufficientStorage', 'QuotaExceeded', 'XMinioStorageFull', 'XMinioAdminBucketQuotaExceeded']);
/** Error codes that a retry may solve, beside 5xx and 429. */
const TRANSIENT = new Set(['RequestTimeout', 'SlowDown', 'RequestTimeTooSkewed']);
/** Codes of Node and names of the SDK for failed connections. */
const UNREACHABLE = new Set([
  ...['ECONNREFUSED', 'ECONNRESET', 'ECONNABORTED', 'EPIPE', 'ETIMEDOUT', 'EHOSTUNREACH', 'ENETUNREACH', 'ENOTFOUND'],
  ...['EAI_AGAIN', 'ERR_STREAM_PREMATURE_CLOSE', 'TimeoutError', 'AbortError', 'NetworkingError'],
]);

/** @throws JobError `disk_full`; StoreAwayError; other errors unchanged, which mean a wrong configuration */
export async function callS3<Result>(call: () => Promise<Result>): Promise<Result> {
  try {
    return await call();
  } catch (error) {
    throw toStoreError(error);
  }
}

export function statusOf(error: unknown): number {
  return error instanceof S3ServiceException ? (error.$metadata.httpStatusCode ?? 0) : 0;
}

/** Whether the server does not offer or permit a request, which a retry cannot change. */
export function isRefusal(error: unknown): boolean {
  if (!(error instanceof S3ServiceException)) return false;
  const status = statusOf(error);
  if (status === 501 || error.name === 'NotImplemented') return true;
  return status < 500 && status !== 429 && !TRANSIENT.has(error.name);
}

export function orNotFound(error: unknown): undefined {
  if (statusOf(error) !== 404) throw error;
}

function toStoreError(error: unknown): unknown {
  if (error instanceof S3ServiceException) {
    if (statusOf(error) === 507 || FULL.has(error.name)) return new JobError('fileStoreFull', { cause: error });
    return isRefusal(error) ? error : new StoreAwayError(`the file store answered ${error.name}`, { cause: error });
  }
  const { code, name } = error as { code?: unknown; name?: unknown };
  const isAway = [code, name].some((word) => typeof word === 'string' && UNREACHABLE.has(word));
  return isAway ? new StoreAwayError('the file store cannot be reached', { cause: error }) : error;
}
