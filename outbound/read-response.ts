import { once } from 'node:events';
import { Agent, request } from 'undici';

interface AnswerLimits {
  /** The limit of DNS, TCP and TLS together, in milliseconds. */
  readonly connectTimeoutMs: number;
  /** The longest silence before and within a response, in milliseconds; the time of a slow reader does not count. */
  readonly idleTimeoutMs: number;
  /** Further requests wait. */
  readonly connections?: number;
  /** Certificate authorities (PEM) trusted instead of the system's. */
  readonly trustedCa?: string | undefined;
}

/** Creates a connection pool for an API that keeps idle connections for some seconds. It uses no proxy and follows no redirects. */
export function connectionsWith({ connectTimeoutMs, idleTimeoutMs, connections, trustedCa }: AnswerLimits): Agent {
  return new Agent({
    // `rejectUnauthorized` is explicit, because NODE_TLS_REJECT_UNAUTHORIZED=0 would change the default.
    connect: { timeout: connectTimeoutMs, rejectUnauthorized: true, ...(trustedCa && { ca: trustedCa }) },
    headersTimeout: idleTimeoutMs,
    bodyTimeout: idleTimeoutMs,
    ...(connections !== undefined && { connections }),
  });
}

/** @throws the signal's reason; the error of the connection, usually with a `code` */
export async function answerTo(
  url: string | URL,
  { signal, ...options }: Parameters<typeof request>[1] & { readonly signal: AbortSignal },
) {
  const answering = request(url, { ...options, signal });
  // undici reports no abort while the request waits for a connection; it does not send the request afterwards.
  answering.catch(() => undefined);
  const over = new AbortController();
  const aborted = once(signal, 'abort', { signal: over.signal }).catch(() => undefined);
  // The signal may be shared by many requests, so each must remove its listener.
  await Promise.race([answering, aborted]).finally(() => over.abort());
  signal.throwIfAborted();
  const answer = await answering;
  // The reader receives errors; without a listener, an error would end the process.
  answer.body.on('error', () => undefined);
  return answer;
}

/** Reads the start of a body up to a limit, rounded up to a whole chunk. `isWhole` means that nothing was left out. */
export async function beginningOf(
  body: AsyncIterable<Uint8Array>,
  maxBytes: number,
): Promise<{ readonly bytes: Buffer; readonly isWhole: boolean }> {
  const chunks: Uint8Array[] = [];
  let sizeBytes = 0;
  for await (const chunk of body) {
    sizeBytes += chunk.length;
    if (sizeBytes > maxBytes) break;
    chunks.push(chunk);
  }
  return { bytes: Buffer.concat(chunks), isWhole: sizeBytes <= maxBytes };
}

/** Returns the code of a connection error: messages may contain the URL, and with it a key. */
export function connectionCode(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}

export function isTimeoutCode(code: string | undefined): boolean {
  return code !== undefined && /TIMEOUT$|^ETIMEDOUT$/.test(code);
}
