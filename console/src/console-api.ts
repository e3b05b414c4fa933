import { errorOf, JobFailedError } from '../../clients/typescript/src/client-errors.ts';
import { apiKey, keyWanted } from './session.ts';

export function authorization(): Record<string, string> {
  const key = apiKey.get();
  return key === undefined ? {} : { Authorization: `Bearer ${key}` };
}

interface CallOptions {
  readonly body?: object;
  readonly signal?: AbortSignal | undefined;
  readonly waitSeconds?: number;
}

/**
 * Sends a request to the service, which answers at once unless it is given a time to wait for the job.
 * @returns the body of the response, also of a failed job
 * @throws TapedeckError
 */
export async function call<Body>(
  method: 'GET' | 'POST' | 'PUT' | 'DELETE',
  path: string,
  { body, waitSeconds = 0, ...options }: CallOptions = {},
): Promise<Body> {
  const headers = { Prefer: `wait=${String(waitSeconds)}`, ...(body && { 'Content-Type': 'application/json' }) };
  try {
    const init = { ...options, method, headers, ...(body && { body: JSON.stringify(body) }) };
    return (await (await send(path, init)).json()) as Body;
  } catch (error) {
    if (error instanceof JobFailedError) return error.result as Body;
    throw error;
  }
}

export function read<Body>(path: string, signal?: AbortSignal): Promise<Body> {
  return call<Body>('GET', path, { signal });
}

/** Reads a file, which a link cannot, because it sends no API key. */
export async function readText(path: string): Promise<string> {
  return (await send(path)).text();
}

interface SendOptions extends Omit<RequestInit, 'headers' | 'signal'> {
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal | undefined;
}

/** Sends a request with the API key. @throws TapedeckError, or JobFailedError for the answer of a failed job */
export async function send(path: string, { headers, signal, ...init }: SendOptions = {}): Promise<Response> {
  const request = { ...init, headers: { ...authorization(), ...headers }, signal: signal ?? null };
  const response = await fetch(path, request).catch((error: unknown) => {
    throw errorOf(error, undefined, signal);
  });
  if (response.ok) return response;
  const error = errorOf(await response.json().catch(() => undefined), response, signal);
  if (response.status === 401) keyWanted.set(sentenceOf(error));
  throw error;
}

export function sentenceOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}
