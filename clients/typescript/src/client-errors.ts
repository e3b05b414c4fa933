import type { Error as Refusal, JobResult } from './generated/types.gen.ts';

/**
 * Why a request came to nothing: a code of the service; `unreachable` when there was no answer; `unexpected_answer` when it
 * was not the service's, as a proxy's is not.
 */
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

/** A request that was refused or never arrived. `code` tells which, for a `switch`. */
export class TapedeckError extends Error {
  override readonly name = 'TapedeckError';
  readonly code: ErrorCode;
  /** Of HTTP; undefined without an answer. */
  readonly status: number | undefined;
  /** When to ask again, where the service says so. */
  readonly retryAfterSeconds: number | undefined;
  /** Which fields are wrong, and why. */
  readonly details: readonly FieldProblem[];
  /** The download that stands in the way. */
  readonly id: string | undefined;
  /** With `insufficient_credit`: what the request costs. */
  readonly price: string | undefined;
  /** With `insufficient_credit`: what the key has left. */
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

/** A job that ended without what was asked for. Its message says why. */
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

/** A service of another release, or a proxy, may send something else. */
function fieldProblemsIn(details: unknown): readonly FieldProblem[] {
  if (!Array.isArray(details)) return [];
  return details.filter(
    (one): one is FieldProblem =>
      isObject(one) && typeof one['path'] === 'string' && typeof one['message'] === 'string',
  );
}

/**
 * @param thrown what was thrown while there was no answer, or the body of an answer that is an error
 * @param signal of the request: whoever gave it up is told so
 * @returns what a caller is thrown
 */
export function errorOf(thrown: unknown, response: Response | undefined, signal: AbortSignal | undefined): unknown {
  if (signal?.aborted === true) return thrown;
  if (response === undefined) {
    return new TapedeckError('The service cannot be reached.', { code: 'unreachable', cause: thrown });
  }
  const { status } = response;
  const facts = { status, retryAfterSeconds: retryAfterOf(response) };
  if (isRefusal(thrown)) return new TapedeckError(thrown.error, { ...facts, code: thrown.code, refusal: thrown });
  if (isFailedJob(thrown)) return new JobFailedError(sentenceOf(thrown), thrown);
  // A body that was cut, or is no JSON.
  const cause = thrown instanceof Error ? thrown : undefined;
  const message = `The service gave no proper answer (status ${String(status)}).`;
  return new TapedeckError(message, { ...facts, code: 'unexpected_answer', cause });
}

function isRefusal(body: unknown): body is Refusal {
  return isObject(body) && typeof body['error'] === 'string' && typeof body['code'] === 'string';
}

function isFailedJob(body: unknown): body is JobResult {
  if (!isObject(body)) return false;
  const { data } = body;
  return (isObject(data) && 'status' in data ? data : body)['status'] === 'failed';
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}

/** What the answers for jobs of all kinds tell of themselves. */
interface Told {
  readonly status: string;
  readonly message?: string | undefined;
  readonly response?: string | null | undefined;
}

/** The record of a job, where that is its answer, else the answer itself. */
function toldBy(result: JobResult): Told {
  if (!('data' in result)) return result;
  const { data } = result;
  return 'status' in data ? data : (result as Told & JobResult);
}

export function isFailed(result: JobResult): boolean {
  return toldBy(result).status === 'failed';
}

/** Why a job failed, in words. */
export function sentenceOf(result: JobResult): string {
  const { response, message } = toldBy(result);
  return response ?? message ?? 'The job failed.';
}
