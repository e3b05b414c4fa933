import type { FailureCode } from './failures.ts';

/** A job cannot go on; `code` says whose fault it is, `message` is a plain sentence for the caller. */
export class JobError extends Error {
  override readonly name = 'JobError';
  readonly code: FailureCode;

  constructor(code: FailureCode, message: string, options: { cause?: unknown } = {}) {
    super(message, options);
    this.code = code;
  }
}
