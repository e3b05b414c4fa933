import { ServiceError } from '@temporalio/client';
import { MongoServerError } from 'mongodb';
import { describe, expect, it } from 'vitest';
import { toApiError } from '../../api/http/to-api-error.ts';
import { unavailable } from '../../api/job-gateway.ts';

/** Creates an error like those of @grpc/grpc-js. */
function grpcError(code: number): ServiceError {
  const cause = Object.assign(new Error(`code ${String(code)}`), {
    code,
    details: 'details of the server',
    metadata: {},
  });
  return new ServiceError('the call failed', { cause });
}

describe('an error of an engine', () => {
  it.each([
    [1, 'cancelled'],
    [2, 'unknown'],
    [4, 'too late'],
    [8, 'too many calls'],
    [10, 'aborted'],
    [13, 'internal'],
    [14, 'away'],
  ])('of Temporal becomes 503 with Retry-After: %i (%s)', (code) => {
    expect(unavailable(grpcError(code))).toMatchObject({ code: 'unavailable', extras: { retryAfterSeconds: 5 } });
  });

  it.each([
    [3, 'a wrong argument'],
    [7, 'no permission'],
    [12, 'not implemented'],
  ])('of Temporal that a retry does not resolve stays internal: %i (%s)', (code) => {
    const error = grpcError(code);
    expect(unavailable(error)).toBe(error);
  });

  it('of a locked database becomes 503, and of one that refuses a command, internal', () => {
    const busy = new MongoServerError({ message: '[begin] database is locked (5) (SQLITE_BUSY)', code: 1 });
    expect(toApiError(busy)).toMatchObject({ code: 'unavailable', extras: { retryAfterSeconds: 5 } });
    expect(toApiError(new MongoServerError({ message: 'no such command', code: 59 })).code).toBe('internal');
  });
});
