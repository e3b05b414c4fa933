import type { Error as Refusal, JobResult } from './generated/types.gen.ts';

/** An error code of the service, `unreachable` without a response, or `unexpected_answer` for one of a proxy, for example. */
export type ErrorCode = Refusal['code'] | 'unreachable' | 'unexpected_answer';

export interface FieldProblem {
  readonly path: string;
  readonly message: string;
}

interface Facts {
  readonly code: ErrorCode;
  readonly status?: number | undefined;
  readonly retryAfterSeconds?: number | undefined;
  readonly refusal?: Partial<Refusal>;
  readonly cause?: unknown;
}

/** Thrown when a request is refused or does not reach the service. `code` gives the reason and suits a `switch`. */
export class TapedeckError extends Error {
  override readonly name = 'TapedeckError';
  readonly code: ErrorCode;
  /** The HTTP status; undefined without a response. */
  readonly status: number | undefined;
  /** Seconds until the request may be repeated, if the service sent `Retry-After`. */
  readonly retryAfterSeconds: number | undefined;
  /** The invalid fields with their reasons. */
  readonly details: readonly FieldProblem[];
  /** The ID of the download that conflicts with the request. */
  readonly id: string | undefined;
  /** The price of the request, with `insufficient_credit`. */
  readonly price: string | undefined;
  /** The remaining credit of the key, with `insufficient_credit`. */
  readonly credit: string | undefined;

  constructor(message: string, { code, status, retryAfterSeconds, refusal = {}, cause }: Facts) {
    super(message, { cause });
    this.code = code;
    this.status = status;
    this.retryAfterSeconds = retryAfterSeconds;
    this.details = fieldProblemsIn(refusal.details);
    this.id = refusal.id;
    this.price = refusal.price;
    this.credit = refusal.credit;
  }
}

/** Thrown when a job failed or was cancelled. The message gives the reason. */
export class JobFailedError extends Error {
  override readonly name = 'JobFailedError';
  readonly result: JobResult;

  constructor(message: string, result: JobResult) {
    super(message);
    this.result = result;
  }
}

/** @returns the number of seconds of `Retry-After`, which the service never writes as a date */
export function retryAfterOf({ headers }: Response): number | undefined {
  const text = headers.get('Retry-After') ?? '';
  return /^\d{1,9}$/.test(text) ? Number(text) : undefined;
}

/** Keeps only well-formed details, because another release or a proxy may send something else. */
function fieldProblemsIn(details: unknown): readonly FieldProblem[] {
  if (!Array.isArray(details)) return [];
  return details.filter(
    (one): one is FieldProblem =>
      isObject(one) && typeof one['path'] === 'string' && typeof one['message'] === 'string',
  );
}

/**
 * @param thrown the error of the request without a response, or the body of an error response
 * @param signal the signal of the request; if it is aborted, its error is passed on unchanged
 * @returns the error to throw to the caller
 */
export function errorOf(thrown: unknown, response: Response | undefined, signal: AbortSignal | undefined): unknown {
  if (signal?.aborted === true) return thrown;
  if (response === undefined) {
    return new TapedeckError('The service cannot be reached.', { code: 'unreachable', cause: thrown });
  }
  const { status } = response;
  const facts = { status, retryAfterSeconds: retryAfterOf(response) };
  if (isRefusal(thrown)) return new TapedeckError(thrown.error, { ...facts, code: thrown.code, refusal: thrown });
  if (isFailed(thrown)) return failureOf(thrown as JobResult);
  // The body was cut off or is not JSON.
  const cause = thrown instanceof Error ? thrown : undefined;
  const message = `The service gave no proper answer (status ${String(status)}).`;
  return new TapedeckError(message, { ...facts, code: 'unexpected_answer', cause });
}

function isRefusal(body: unknown): body is Refusal {
  return isObject(body) && typeof body['error'] === 'string' && typeof body['code'] === 'string';
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}

interface JobSummary {
  readonly status: string;
  readonly message?: string | undefined;
  readonly response?: string | null | undefined;
}

function summaryOf(result: object): JobSummary {
  const { data } = result as { readonly data?: unknown };
  return (isObject(data) && 'status' in data ? data : result) as JobSummary;
}

export function isFailed(result: unknown): boolean {
  return isObject(result) && summaryOf(result).status === 'failed';
}

export function failureOf(result: JobResult): JobFailedError {
  const { response, message } = summaryOf(result);
  return new JobFailedError(response ?? message ?? 'The job failed.', result);
}
