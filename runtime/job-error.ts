import type { FailureCode } from '../contract/failures.ts';

export interface JobErrorOptions {
  readonly cause?: unknown;
  /** Before this time (epoch, milliseconds) it is useless to try again: upstream said so. */
  readonly retryAtMs?: number | undefined;
}

/** A job cannot go on; `code` says whose fault it is, `message` is a plain sentence for the caller. */
export class JobError extends Error {
  override readonly name = 'JobError';
  readonly code: FailureCode;
  /** Epoch, milliseconds; undefined when upstream names no time. */
  readonly retryAtMs: number | undefined;

  constructor(code: FailureCode, message: string, { retryAtMs, ...options }: JobErrorOptions = {}) {
    super(message, options);
    this.code = code;
    this.retryAtMs = retryAtMs;
  }
}
