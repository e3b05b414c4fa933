import { once } from 'node:events';
import { Agent, request } from 'undici';

export interface AnswerLimits {
  /** Limit of look-up, TCP and TLS together, in milliseconds. */
  readonly connectTimeoutMs: number;
  /** Longest silence before and within an answer, in milliseconds; the time of a slow reader does not count. */
  readonly idleTimeoutMs: number;
  /** Most connections at a time; other requests wait. */
  readonly connections?: number;
  /** Certificate authorities (PEM) trusted instead of the usual ones. */
  readonly trustedCa?: string | undefined;
}

/** Connections to an API, each of which is kept for some seconds. It takes no proxy from the environment and follows no redirect. */
export function connectionsWith({ connectTimeoutMs, idleTimeoutMs, connections, trustedCa }: AnswerLimits): Agent {
  return new Agent({
    // The second said outright, since NODE_TLS_REJECT_UNAUTHORIZED=0 would change the default.
    connect: { timeout: connectTimeoutMs, rejectUnauthorized: true, ...(trustedCa && { ca: trustedCa }) },
    headersTimeout: idleTimeoutMs,
    bodyTimeout: idleTimeoutMs,
    ...(connections !== undefined && { connections }),
  });
}

/**
 * Sends a request, and waits for the head of its answer.
 *
 * @throws the signal's reason; what the connection threw, mostly with a `code`
 */
export async function answerTo(
  url: string | URL,
  { signal, ...options }: Parameters<typeof request>[1] & { readonly signal: AbortSignal },
) {
  const answering = request(url, { ...options, signal });
  // While it waits for a connection undici hears of no signal; it is not sent then, when there is one.
  answering.catch(() => undefined);
  const over = new AbortController();
  const aborted = once(signal, 'abort', { signal: over.signal }).catch(() => undefined);
  // The signal may be that of many requests, and would keep a listener of each.
  await Promise.race([answering, aborted]).finally(() => over.abort());
  signal.throwIfAborted();
  const answer = await answering;
  // Whoever reads hears of an error; one that nobody heard would end the process.
  answer.body.on('error', () => undefined);
  return answer;
}

/** The beginning of a body up to a limit, at the end of a chunk. `isWhole`: nothing was left out. */
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

/** What an error of a connection says of itself: messages may repeat the URL, and with it a key. */
export function connectionCode(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}

/** Whether it is that of a limit of the connections, or of Node. */
export function isTimeoutCode(code: string | undefined): boolean {
  return code !== undefined && /TIMEOUT$|^ETIMEDOUT$/.test(code);
}
