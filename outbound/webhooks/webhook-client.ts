import { validateHeaderName, validateHeaderValue } from 'node:http';
import { Readable } from 'node:stream';
import { Client } from 'undici';
import { WEBHOOK_TEST_TIMEOUT_SECONDS, WEBHOOK_TIMEOUT_SECONDS } from '../../contract/http/webhook-delivery.ts';
import { startDeadline, type Deadline } from '../../runtime/deadline.ts';
import { checkTarget } from '../check-target.ts';
import { createGuardedConnector, type GuardSettings, patient } from '../connector.ts';
import { ForbiddenTargetError, NoAnswerError, unreachableCode, type UnreachableCode } from '../request-failures.ts';

export interface WebhookClientOptions extends GuardSettings {
  /** The limit of a whole request, from DNS to the last byte of the response, in milliseconds; for a streamed body, from each chunk on. */
  readonly timeoutMs: number;
  /** The maximum number of bytes of the response body that are read; the content is discarded. */
  readonly maxResponseBytes: number;
}

export const WEBHOOK_CLIENT_LIMITS = {
  timeoutMs: WEBHOOK_TIMEOUT_SECONDS * 1000,
  connectTimeoutMs: 5_000,
  maxResponseBytes: 64 * 1024,
} as const;

/** The limits of the test endpoint, whose caller waits for the result. */
export const WEBHOOK_TEST_LIMITS = {
  ...WEBHOOK_CLIENT_LIMITS,
  timeoutMs: WEBHOOK_TEST_TIMEOUT_SECONDS * 1000,
} as const;

/** The longest attempt, with some margin for a busy machine. */
export const WEBHOOK_TEST_TAKES_MS = WEBHOOK_TEST_LIMITS.timeoutMs + 250;

/** A body that is generated while it is sent. Its length is announced, because many receivers require it. */
export interface LongBody {
  readonly bytes: number;
  readonly chunks: AsyncIterable<string | Uint8Array>;
}

export interface PostRequest {
  /** The headers of the request; the client sets those that frame the message. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | LongBody;
  readonly signal?: AbortSignal;
  /** Called with the resolved addresses before a connection is made; an error that it throws ends the request and is passed on. */
  readonly onAddresses?: (addresses: readonly string[]) => void;
}

/** The outcome of a request. `durationMs` is the duration of the whole request in milliseconds. */
export type PostOutcome =
  | { readonly kind: 'answered'; readonly statusCode: number; readonly durationMs: number }
  /** The target is forbidden; the reason is a sentence for callers. A retry cannot succeed. */
  | { readonly kind: 'forbidden'; readonly reason: string; readonly durationMs: number }
  | { readonly kind: 'unreachable'; readonly error: UnreachableCode; readonly durationMs: number };

export type WebhookClient = ReturnType<typeof createWebhookClient>;

/** Headers that frame the message or control the connection: a caller could use them to smuggle a second request. */
const OWN_HEADERS = new Set([
  ...['connection', 'content-length', 'expect', 'host', 'keep-alive'],
  ...['te', 'trailer', 'transfer-encoding', 'upgrade'],
]);

/** Creates the only client that sends requests to callers' URLs. See docs/webhooks.md for its rules. */
export function createWebhookClient(options: WebhookClientOptions) {
  const underWay = new Set<Deadline>();
  let closed: Error | undefined;

  /**
   * Sends one POST request, follows no redirects, and keeps only the status of the response.
   *
   * @throws the signal's reason when aborted; errors of the body or of `onAddresses`, including a body of the wrong length; `TypeError` for an invalid header; an error after `close`
   */
  const post = async (url: string, request: PostRequest): Promise<PostOutcome> => {
    const throwIfCancelled = (): void => {
      if (closed !== undefined) throw closed;
      request.signal?.throwIfAborted();
    };
    throwIfCancelled();
    checkHeaders(request.headers);
    const startedMs = performance.now();
    const duration = (): { durationMs: number } => ({ durationMs: Math.round(performance.now() - startedMs) });
    const target = checkTarget(url, options.allowedNetworks);
    if (!target.ok) return { kind: 'forbidden', reason: target.reason, ...duration() };

    const late = (): Error => new NoAnswerError('timeout', 'The time is over.');
    const deadline = startDeadline({ signal: request.signal, timeoutMs: options.timeoutMs, late });
    underWay.add(deadline);
    try {
      // The duration of a long body depends on the connection, so the time limit restarts with each chunk.
      const { signal, restart: onChunk } = deadline;
      const statusCode = await send(target.url, request, { ...options, signal, onChunk });
      throwIfCancelled();
      return { kind: 'answered', statusCode, ...duration() };
    } catch (error) {
      throwIfCancelled();
      if (error instanceof ForbiddenTargetError) return { kind: 'forbidden', reason: error.message, ...duration() };
      const code = unreachableCode(error);
      if (code === undefined) throw error;
      return { kind: 'unreachable', error: code, ...duration() };
    } finally {
      deadline.end();
      underWay.delete(deadline);
      // A socket may still be open or connecting.
      deadline.abort();
    }
  };

  return {
    post,
    /** Aborts the current requests, which reject, as all later ones do. */
    close: (): void => {
      closed ??= new Error('the webhook client is closed');
      for (const deadline of underWay) deadline.abort(closed);
    },
  };
}

/** Uses one connection per request: no check can be skipped, and no receiver can delay another. */
async function send(
  url: URL,
  { headers, body, onAddresses }: PostRequest,
  options: WebhookClientOptions & { readonly signal: AbortSignal; readonly onChunk: () => unknown },
): Promise<number> {
  const client = new Client(url.origin, {
    connect: patient(createGuardedConnector({ ...options, onAddresses })),
    pipelining: 0,
    // The deadline of the whole request replaces these two limits.
    headersTimeout: 0,
    bodyTimeout: 0,
  });
  try {
    const response = await client.request({
      method: 'POST',
      path: url.pathname + url.search,
      headers: typeof body === 'string' ? headers : { ...headers, 'Content-Length': String(body.bytes) },
      body:
        typeof body === 'string' ? body : Readable.from(watched(body.chunks, options.onChunk), { objectMode: false }),
      signal: options.signal,
    });
    await discard(response.body, options.maxResponseBytes);
    return response.statusCode;
  } finally {
    void client.destroy();
  }
}

async function* watched(body: LongBody['chunks'], onChunk: () => unknown): AsyncGenerator<string | Uint8Array> {
  for await (const chunk of body) {
    onChunk();
    yield chunk;
  }
  onChunk();
}

/**
 * Reads the response up to the limit, so that the receiver can finish writing. The status has arrived: a body that is cut off,
 * too long or too slow does not change the outcome, and a retry would only deliver twice.
 */
async function discard(body: AsyncIterable<Uint8Array>, maxBytes: number): Promise<void> {
  let readBytes = 0;
  try {
    for await (const chunk of body) {
      readBytes += chunk.length;
      if (readBytes >= maxBytes) return;
    }
  } catch {
    // The outcome does not depend on the body.
  }
}

function checkHeaders(headers: Readonly<Record<string, string>>): void {
  for (const [name, value] of Object.entries(headers)) {
    validateHeaderName(name);
    validateHeaderValue(name, value);
    if (OWN_HEADERS.has(name.toLowerCase())) throw new TypeError(`the header ${name} is set by the client`);
  }
}
