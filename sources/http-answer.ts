import { once } from 'node:events';
import type { ClientRequest, IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { TLSSocket } from 'node:tls';

/** A kept connection that has been idle this long may be closed by the server just when it is used again. */
export const KEPT_IDLE_MS = 4_000;

export interface AnswerLimits {
  /** The one that the request was made with. */
  readonly signal: AbortSignal;
  /** Limit of look-up, TCP and TLS together, in milliseconds. */
  readonly connectTimeoutMs: number;
  /** Longest silence before and within an answer, in milliseconds; the time of a slow reader does not count. */
  readonly idleTimeoutMs: number;
}

/** What is sent. */
export interface Content {
  readonly body?: string | undefined;
  /** Called right before the first byte is written: whatever fails earlier, the other side can't have seen the request. */
  readonly onSending?: () => void;
}

/**
 * Sends a request that nothing was written to, and waits for the head of its answer.
 *
 * Requests of Node, since the parser of undici 7 for HTTP/1 ends the process by an assertion when a server closes the
 * connection while the answer is read more slowly than it comes (nodejs/undici#5360); version 8 wants Node 22.
 *
 * @throws the signal's reason; what the connection threw, with a `code`: `ETIMEDOUT` beyond a limit
 */
export async function answerTo(
  sent: ClientRequest,
  limits: AnswerLimits,
  { body, onSending }: Content = {},
): Promise<IncomingMessage> {
  const { signal, connectTimeoutMs, idleTimeoutMs } = limits;
  // Each wait below hears of errors by itself; one that nobody heard would end the process.
  sent.on('error', () => undefined);
  const end = (late: Error): void => void sent.destroy(late);
  try {
    // A request that waits for its turn tells nothing when it is destroyed.
    const [socket] = (await once(sent, 'socket', { signal })) as [Socket];
    const ready = socket instanceof TLSSocket ? 'secureConnect' : 'connect';
    if (socket instanceof TLSSocket ? !socket.authorized : socket.connecting) {
      await within(connectTimeoutMs, once(socket, ready, { signal }), end);
    }
    onSending?.();
    sent.end(body);
    const [answer] = (await within(idleTimeoutMs, once(sent, 'response', { signal }), end)) as [IncomingMessage];
    // As above, when it ends while nobody reads.
    return answer.on('error', () => undefined);
  } catch (error) {
    sent.destroy();
    signal.throwIfAborted();
    throw error;
  }
}

/** The body of an answer while it arrives. @throws as `answerTo` does */
export async function* chunksOf(
  answer: IncomingMessage,
  { signal, idleTimeoutMs }: AnswerLimits,
): AsyncGenerator<Uint8Array> {
  const chunks = (answer as AsyncIterable<Uint8Array>)[Symbol.asyncIterator]();
  for (;;) {
    const next = await within(idleTimeoutMs, chunks.next(), (late) => answer.destroy(late)).catch((error: unknown) => {
      signal.throwIfAborted();
      throw error;
    });
    if (next.done === true) return;
    yield next.value;
  }
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

async function within<Result>(limitMs: number, waiting: Promise<Result>, end: (late: Error) => void): Promise<Result> {
  const timer = setTimeout(() => end(Object.assign(new Error('nothing came'), { code: 'ETIMEDOUT' })), limitMs);
  try {
    return await waiting;
  } finally {
    clearTimeout(timer);
  }
}
