import { validateHeaderName, validateHeaderValue } from 'node:http';
import type { BlockList } from 'node:net';
import { Readable } from 'node:stream';
import { Client } from 'undici';
import { startDeadline, type Deadline } from '../../runtime/deadline.ts';
import { createGuardedConnector } from '../connector.ts';
import { DeadlineError, ForbiddenTargetError, unreachableCode, type UnreachableCode } from '../request-failures.ts';
import { createDnsLookup, type Lookup } from '../lookup.ts';
import { checkTarget } from '../check-target.ts';

export interface WebhookClientOptions {
  /** Networks exempt from the ban on private addresses and on ports. Empty in production. */
  readonly allowedNetworks: BlockList;
  /** Limit of a whole post, from the look-up to the last byte read, in milliseconds; in a body in chunks, from each chunk on. */
  readonly timeoutMs: number;
  /** Limit of look-up, TCP and TLS together, in milliseconds; its timer may fire up to a second late. */
  readonly connectTimeoutMs: number;
  /** Most bytes of an answer's body that are read; the content is thrown away. */
  readonly maxResponseBytes: number;
  /** Finds the addresses of names. Default: DNS. */
  readonly lookup?: Lookup;
  /** Certificate authorities (PEM) trusted instead of the usual ones, for receivers with a certificate of their own. */
  readonly trustedCa?: string;
}

/** A body that is written out as it is sent. Many receivers cannot read one whose length is not announced. */
export interface LongBody {
  readonly bytes: number;
  readonly chunks: AsyncIterable<string>;
}

export interface PostRequest {
  /** Names and values are checked; those that frame the message are set by the client alone. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | LongBody;
  readonly signal?: AbortSignal;
  /** Told where the name leads before a connection is made; what it throws ends the post, which rejects with it. */
  readonly onAddresses?: (addresses: readonly string[]) => void;
}

/** How a post ended. `durationMs` is the time of the whole post in milliseconds. */
export type PostOutcome =
  /** An HTTP status arrived, whichever it is. */
  | { readonly kind: 'answered'; readonly statusCode: number; readonly durationMs: number }
  /** The target must not be called; the reason is a sentence fit for callers. Trying again is useless. */
  | { readonly kind: 'forbidden'; readonly reason: string; readonly durationMs: number }
  /** No status arrived. */
  | { readonly kind: 'unreachable'; readonly error: UnreachableCode; readonly durationMs: number };

export interface WebhookClient {
  /**
   * Sends one POST, follows nothing, and keeps nothing of the answer but its status.
   *
   * @throws the signal's reason when aborted; what the body or `onAddresses` throws, also for a body of another length; `TypeError` for a header that can't be sent; {@link WebhookClientClosedError}
   */
  post(url: string, request: PostRequest): Promise<PostOutcome>;
  /** Ends the posts under way, which reject with {@link WebhookClientClosedError}, as all later ones do. */
  close(): void;
}

/** The client was closed while or before a post was under way. */
export class WebhookClientClosedError extends Error {
  override readonly name = 'WebhookClientClosedError';
}

/** Headers that frame the message or steer the connection: set by a caller they could smuggle a second request. */
const OWN_HEADERS = new Set([
  'connection',
  'content-length',
  'expect',
  'host',
  'keep-alive',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/** Makes the only client by which requests go to callers' URLs. See docs/webhooks.md for the rules it keeps. */
export function createWebhookClient(options: WebhookClientOptions): WebhookClient {
  const lookup = options.lookup ?? createDnsLookup();
  const underWay = new Set<Deadline>();
  let closed: WebhookClientClosedError | undefined;

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

    const late = (): Error => new DeadlineError();
    const deadline = startDeadline({ signal: request.signal, timeoutMs: options.timeoutMs, late });
    underWay.add(deadline);
    try {
      // A long body takes as long as the line needs: what counts is that it goes on, and the time for an answer after it.
      const { signal, restart: onChunk } = deadline;
      const statusCode = await send(target.url, request, { ...options, lookup, signal, onChunk });
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
      // A socket may still be open, even still connecting.
      deadline.abort();
    }
  };

  return {
    post,
    close: () => {
      closed ??= new WebhookClientClosedError('the webhook client is closed');
      for (const deadline of underWay) deadline.abort(closed);
    },
  };
}

/** One connection for one request: nothing is shared, so no check can be skipped and no receiver can hold up another. */
async function send(
  url: URL,
  { headers, body, onAddresses }: PostRequest,
  options: WebhookClientOptions & {
    readonly lookup: Lookup;
    readonly signal: AbortSignal;
    readonly onChunk: () => unknown;
  },
): Promise<number> {
  const client = new Client(url.origin, {
    connect: createGuardedConnector({ ...options, onAddresses }),
    pipelining: 0,
    // The deadline of the whole post stands in for these two.
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

async function* watched(body: AsyncIterable<string>, onChunk: () => unknown): AsyncGenerator<string> {
  for await (const chunk of body) {
    onChunk();
    yield chunk;
  }
  onChunk();
}

/**
 * Reads as far as allowed, so that an honest receiver can finish writing. The status has arrived: a body that is cut off,
 * too long or too slow doesn't take the acknowledgement back, and a repetition would only deliver twice.
 */
async function discard(body: AsyncIterable<Uint8Array>, maxBytes: number): Promise<void> {
  let readBytes = 0;
  try {
    for await (const chunk of body) {
      readBytes += chunk.length;
      if (readBytes >= maxBytes) return;
    }
  } catch {
    // See above.
  }
}

function checkHeaders(headers: Readonly<Record<string, string>>): void {
  for (const [name, value] of Object.entries(headers)) {
    validateHeaderName(name);
    validateHeaderValue(name, value);
    if (OWN_HEADERS.has(name.toLowerCase())) throw new TypeError(`the header ${name} is set by the client`);
  }
}
