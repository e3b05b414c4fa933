import type { ErrorBody } from '../../contract/http/api-error.ts';
import { apiKey, keyWanted } from './session.ts';

/** Thrown when a request is refused or does not reach the service. */
export class Problem extends Error {
  override readonly name = 'Problem';
  /** The HTTP status; 0 without a response. */
  readonly status: number;
  readonly body: Partial<ErrorBody>;
  readonly retryAfterSeconds: number;

  constructor(message: string, status: number, response?: Pick<Problem, 'body' | 'retryAfterSeconds'>) {
    super(message);
    this.status = status;
    this.body = response?.body ?? {};
    this.retryAfterSeconds = response?.retryAfterSeconds ?? 0;
  }
}

export function authorization(): Record<string, string> {
  const key = apiKey.get();
  return key === undefined ? {} : { Authorization: `Bearer ${key}` };
}

interface CallOptions {
  readonly body?: object;
  readonly signal?: AbortSignal | null;
  readonly waitSeconds?: number;
}

/**
 * Sends a request to the service, which answers at once unless it is given a time to wait for the job.
 * @returns the body of the response, also of a failed job
 * @throws Problem
 */
export async function call<Body>(
  method: 'GET' | 'POST' | 'PUT' | 'DELETE',
  path: string,
  { body, signal = null, waitSeconds = 0 }: CallOptions = {},
): Promise<Body> {
  const headers = {
    ...authorization(),
    Prefer: `wait=${String(waitSeconds)}`,
    ...(body && { 'Content-Type': 'application/json' }),
  };
  const init = { method, headers, signal, body: body === undefined ? null : JSON.stringify(body) };
  const response = await fetch(path, init).catch((error: unknown) => {
    if (signal?.aborted === true) throw error;
    throw new Problem('The service cannot be reached.', 0);
  });
  const answer = (await response.json().catch(() => ({}))) as Body & Partial<ErrorBody>;
  const isRefusal = answer.code !== undefined && typeof answer.error === 'string';
  if (!response.ok && (isRefusal || Object.keys(answer).length === 0)) throw problemOf(response, answer);
  return answer;
}

export function read<Body>(path: string, signal?: AbortSignal): Promise<Body> {
  return call<Body>('GET', path, signal && { signal });
}

/** Reads a file, which a link cannot, because it sends no API key. */
export async function readText(path: string): Promise<string> {
  const response = await fetch(path, { headers: authorization() });
  if (!response.ok) throw problemOf(response, (await response.json().catch(() => ({}))) as Partial<ErrorBody>);
  return response.text();
}

export function problemOf({ status, headers }: Response, body: Partial<ErrorBody>): Problem {
  const message = body.error ?? `The service answered ${String(status)}.`;
  if (status === 401) keyWanted.set(message);
  return new Problem(message, status, { body, retryAfterSeconds: Number(headers.get('Retry-After') ?? 0) });
}

export function sentenceOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}
