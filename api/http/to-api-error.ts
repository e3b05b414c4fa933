import * as mongo from 'mongodb';
import { HTTPError } from 'h3';
import type { z } from 'zod';
import { MissingContentsError } from '../../contract/kinds/contents.ts';
import { ApiError, type ErrorCode } from '../../contract/http/api-error.ts';
import { MissingFileError, StoreAwayError } from '../../store/files/file-store.ts';
import { isDiskFull } from '../../store/files/free-space.ts';
import { BusyError } from '../../runtime/semaphore.ts';

const HTTP_LAYER: Readonly<Record<number, { code: ErrorCode; message: string }>> = {
  400: { code: 'invalid_input', message: 'The request cannot be understood.' },
  404: { code: 'not_found', message: 'There is nothing at this path.' },
  405: { code: 'method_not_allowed', message: 'This path does not take this method.' },
  413: { code: 'body_too_large', message: 'The body is larger than 64 KiB.' },
};

const MONGO_AWAY = [
  ...[mongo.MongoNetworkError, mongo.MongoNotConnectedError, mongo.MongoServerSelectionError],
  // Thrown while a client that hung is being reconnected.
  ...[mongo.MongoTopologyClosedError, mongo.MongoClientClosedError],
];

/** Includes the errors of a server that is shutting down or has just lost its role as primary. */
function isMongoAway(error: unknown): boolean {
  if (MONGO_AWAY.some((kind) => error instanceof kind)) return true;
  if (isBrokenSocket(error)) return true;
  // The embedded server reports this when another connection writes for too long.
  if (error instanceof mongo.MongoError && error.message.includes('SQLITE_BUSY')) return true;
  // The driver does not export this class.
  if (error instanceof mongo.MongoError && error.name === 'MongoPoolClosedError') return true;
  return (
    error instanceof mongo.MongoError &&
    (error.hasErrorLabel('RetryableWriteError') || error.hasErrorLabel('ResetPool'))
  );
}

/** If a connection breaks during a command, the error names the system call. The error for a caller that left does not. */
function isBrokenSocket(error: unknown): boolean {
  if (!(error instanceof Error) || !('code' in error) || !('syscall' in error)) return false;
  return error.code === 'ECONNRESET' || error.code === 'EPIPE';
}

/** Converts a thrown value into a documented error. Unknown errors are kept as `cause`, for the log only. */
export function toApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  if (error instanceof HTTPError && error.cause instanceof ApiError) return error.cause;
  const inner = error instanceof HTTPError && error.unhandled === true ? (error.cause ?? error) : error;
  const reason = reasonToWait(inner);
  if (reason !== undefined) {
    return new ApiError('unavailable', `${reason} Try again soon.`, { retryAfterSeconds: 5, cause: inner });
  }
  if (inner instanceof MissingFileError) {
    return new ApiError('not_found', 'The file is not kept any more.', { cause: inner });
  }
  if (inner instanceof MissingContentsError) {
    return new ApiError('not_found', 'The result is not kept any more.', { cause: inner });
  }
  const known = error instanceof HTTPError && error.unhandled !== true ? HTTP_LAYER[error.status] : undefined;
  return new ApiError(known?.code ?? 'internal', known?.message ?? 'Something went wrong on our side.', {
    cause: inner,
    // The connection cannot be reused, because the rest of the body would be read as the next request.
    ...(known?.code === 'body_too_large' ? { headers: { Connection: 'close' } } : {}),
  });
}

function reasonToWait(error: unknown): string | undefined {
  if (isMongoAway(error)) return 'The database cannot be reached.';
  if (isDiskFull(error)) return 'The service has no space left.';
  if (error instanceof StoreAwayError) return 'The file store cannot be reached.';
  if (error instanceof BusyError) return 'Too many requests read stored data at once.';
  return undefined;
}

/** @returns the value in the form of the schema; throws ApiError `invalid_input` */
export function checked<Output>(schema: z.ZodType<Output>, value: unknown): Output {
  const parsed = schema.safeParse(value);
  if (!parsed.success) throw invalidInput(parsed.error);
  return parsed.data;
}

export function invalidInput(error: z.ZodError): ApiError {
  const details = error.issues.map((issue) => ({ path: issue.path.join('.'), message: issue.message }));
  const [first] = details;
  const sentence =
    first === undefined || first.path === '' ? 'The input is not valid.' : `${first.path}: ${first.message}.`;
  return new ApiError('invalid_input', sentence, { details, cause: error });
}

export function invalidField(path: string, message: string): ApiError {
  return new ApiError('invalid_input', `${path}: ${message}`, { details: [{ path, message }] });
}
