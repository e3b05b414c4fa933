import type { ErrorBody } from '../../contract/http/api-error.ts';
import { apiKey, keyWanted } from './session.ts';

/** Thrown when a request is refused or does not reach the service. */
export class Problem extends Error {
  override readonly name = 'Problem';
  /** The HTTP status; 0 without a response. */
  readonly status: number;
  readonly body: Partial<ErrorBody>;
  readonly retryAfterSeconds: number;

  constructor(message: string, about: { status: number; body?: Partial<ErrorBody>; retryAfterSeconds?: number }) {
    super(message);
    this.status = about.status;
    this.body = about.body ?? {};
    this.retryAfterSeconds = about.retryAfterSeconds ?? 0;
  }
}

export interface CallOptions {
  readonly body?: object | undefined;
  /** How long the service may delay its response. Default: not at all. */
  readonly waitSeconds?: number;
  readonly signal?: AbortSignal | undefined;
}

export interface Called<Body> {
  readonly status: number;
  readonly body: Body;
}

/** Returns the header that authenticates the caller. */
export function authorization(): Record<string, string> {
  const key = apiKey.get();
  return key === undefined ? {} : { Authorization: `Bearer ${key}` };
}

/**
 * Sends a request to the service. The response of a failed job is returned too, whatever its status.
 *
 * @throws Problem
 */
export async function call<Body>(
  method: 'GET' | 'POST' | 'DELETE',
  path: string,
  { body, waitSeconds = 0, signal }: CallOptions = {},
): Promise<Called<Body>> {
  const headers = { ...authorization(), Prefer: `wait=${String(waitSeconds)}` };
  const response = await fetch(path, {
    method,
    headers: body === undefined ? headers : { ...headers, 'Content-Type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    ...(signal === undefined ? {} : { signal }),
  }).catch((error: unknown) => {
    if (signal?.aborted === true) throw error;
    throw new Problem('The service cannot be reached.', { status: 0 });
  });
  const answer = (await response.json().catch(() => ({}))) as Body & Partial<ErrorBody>;
  if (!response.ok && answer.code !== undefined && typeof answer.error === 'string') throw problemOf(response, answer);
  if (!response.ok && Object.keys(answer).length === 0) {
    throw new Problem(`The service answered ${String(response.status)}.`, { status: response.status });
  }
  return { status: response.status, body: answer };
}

export async function read<Body>(path: string, signal?: AbortSignal): Promise<Body> {
  return (await call<Body>('GET', path, { signal })).body;
}

export function problemOf(response: Response, body: Partial<ErrorBody>): Problem {
  const { status, headers } = response;
  const message = body.error ?? `The service answered ${String(status)}.`;
  if (status === 401) keyWanted.set(message);
  return new Problem(message, { status, body, retryAfterSeconds: Number(headers.get('Retry-After') ?? 0) });
}

/** Returns the message of any thrown value. */
export function sentenceOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}
