import { failureFor, type Failure, type FailureCode, type ReasonWith } from '../contract/failures.ts';

interface JobErrorOptions {
  readonly cause?: unknown;
  /** The time before which the upstream rejects a retry, in milliseconds since the epoch. */
  readonly retryAtMs?: number | undefined;
}

/** A job cannot continue, for a reason of contract/failures.ts. */
export class JobError extends Error implements Failure {
  override readonly name = 'JobError';
  readonly code: FailureCode;
  readonly retryAtMs: number | undefined;

  /** @param failure made by {@link failureFor}, or a reason whose sentence needs no values */
  constructor(failure: Failure | ReasonWith<never>, { retryAtMs, ...options }: JobErrorOptions = {}) {
    const { code, message } = typeof failure === 'string' ? failureFor(failure) : failure;
    super(message, options);
    this.code = code;
    this.retryAtMs = retryAtMs;
  }
}
