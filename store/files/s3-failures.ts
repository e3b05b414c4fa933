import type { S3ServiceException } from '@aws-sdk/client-s3';
import { JobError } from '../../runtime/job-error.ts';
import { StoreAwayError } from './file-store.ts';

/** Error codes of servers that are full, beside status 507. */
const FULL = new Set(['InsufficientStorage', 'QuotaExceeded', 'XMinioStorageFull', 'XMinioAdminBucketQuotaExceeded']);
/** Error codes that a retry may solve, beside 5xx, 408 and 429. */
const TRANSIENT = new Set([
  ...['RequestTimeout', 'SlowDown', 'RequestTimeTooSkewed', 'OperationAborted', 'ConditionalRequestConflict'],
  ...['NoSuchUpload', 'IncompleteBody', 'BadDigest', 'XAmzContentSHA256Mismatch'],
]);
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

/** @returns the status of the answer; 0 without one. Proxies answer with pages, for which the SDK throws no S3ServiceException. */
export function statusOf(error: unknown): number {
  const { $metadata, $response } = error as Partial<S3ServiceException>;
  return $metadata?.httpStatusCode ?? $response?.statusCode ?? 0;
}

/** Whether the server does not offer or permit a request, which a retry cannot change. */
export function isRefusal(error: unknown): boolean {
  const [status, name] = [statusOf(error), nameOf(error)];
  if (status === 501 || name === 'NotImplemented') return true;
  return status > 0 && status < 500 && ![408, 429].includes(status) && !TRANSIENT.has(name);
}

function nameOf(error: unknown): string {
  return error instanceof Error ? error.name : '';
}

export function orNotFound(error: unknown): undefined {
  if (statusOf(error) !== 404) throw error;
}

function toStoreError(error: unknown): unknown {
  const status = statusOf(error);
  if (status > 0) {
    const name = nameOf(error);
    if (status === 507 || FULL.has(name)) return new JobError('fileStoreFull', { cause: error });
    const answer = `the file store answered ${String(status)} (${name})`;
    return isRefusal(error) ? error : new StoreAwayError(answer, { cause: error });
  }
  const { code, name } = error as { code?: unknown; name?: unknown };
  const isAway = [code, name].some((word) => typeof word === 'string' && UNREACHABLE.has(word));
  return isAway ? new StoreAwayError('the file store cannot be reached', { cause: error }) : error;
}
