import { Agent, fetch as undiciFetch, type Response as UndiciResponse } from 'undici';

/** Most bytes of an answer after decompression. 100 threads of the longest comments, replies included, stay below. */
const MAX_ANSWER_BYTES = 32 * 1024 ** 2;
const CONNECT_TIMEOUT_MS = 10_000;

/** An answer did not arrive whole. `detail` names no address and no key. */
export class TransportError extends Error {
  override readonly name = 'TransportError';
  readonly kind: 'unreachable' | 'timeout' | 'too_large';

  constructor(kind: TransportError['kind'], detail: string) {
    super(detail);
    this.kind = kind;
  }
}

export interface TransportSettings {
  readonly key: string;
  /** Nothing outside this origin is ever asked. */
  readonly rootUrl: string;
}

/**
 * What the client library sends its requests by, instead of its own: that one goes through whichever proxy the
 * environment names, follows redirects, reads answers of any size, and puts the whole request into its errors. The key is
 * added here, so that the library, its errors and its debug log never hold it.
 */
export function createTransport({ key, rootUrl }: TransportSettings): typeof fetch {
  const { origin } = new URL(rootUrl);
  // The deadline of the whole request stands in for the two other time limits.
  const dispatcher = new Agent({ connect: { timeout: CONNECT_TIMEOUT_MS }, headersTimeout: 0, bodyTimeout: 0 });
  return async (input, init) => {
    const url = new URL(input instanceof Request ? input.url : input);
    if (url.origin !== origin) throw new TransportError('unreachable', 'the client library left the base address');
    url.searchParams.set('key', key);
    try {
      const response = await undiciFetch(url, {
        method: 'GET',
        headers: Object.fromEntries(new Headers(init?.headers)),
        // A redirect would carry the key to wherever it leads: its answer is taken as it is.
        redirect: 'manual',
        signal: init?.signal ?? null,
        dispatcher,
      });
      const body = await readBounded(response);
      return new Response(response.ok ? body : withoutKey(body, key), {
        status: response.status,
        headers: [...response.headers].filter(([name]) => ['content-type', 'retry-after'].includes(name)),
      });
    } catch (error) {
      if (error instanceof TransportError) throw error;
      throw new TransportError(isTimeout(error) ? 'timeout' : 'unreachable', describe(error));
    }
  };
}

/** @returns null for a status that may have no body */
async function readBounded(response: UndiciResponse): Promise<Buffer | null> {
  if (response.body === null) return null;
  const chunks: Uint8Array[] = [];
  let sizeBytes = 0;
  for await (const chunk of response.body as AsyncIterable<Uint8Array>) {
    sizeBytes += chunk.length;
    // Leaving the loop cancels the body, which ends the connection.
    if (sizeBytes > MAX_ANSWER_BYTES) throw new TransportError('too_large', 'the answer is longer than any real one');
    chunks.push(chunk);
  }
  return [204, 205, 304].includes(response.status) ? null : Buffer.concat(chunks);
}

/** Texts of errors end up in logs, and a server may repeat what it was asked. */
function withoutKey(body: Buffer | null, key: string): Buffer | string | null {
  return body?.includes(key) === true ? body.toString('utf8').replaceAll(key, '[key]') : body;
}

function isTimeout(error: unknown): boolean {
  const codes = [error, causeOf(error)].map((one) =>
    one instanceof Error && 'code' in one && typeof one.code === 'string' ? one.code : '',
  );
  return codes.some((code) => ['UND_ERR_CONNECT_TIMEOUT', 'ETIMEDOUT'].includes(code));
}

/** Class and code only: messages of network errors may repeat the URL, and with it the key. */
function describe(error: unknown): string {
  const cause = causeOf(error) ?? error;
  if (!(cause instanceof Error)) return 'the connection failed';
  const code = 'code' in cause && typeof cause.code === 'string' ? ` ${cause.code}` : '';
  return `the connection failed: ${cause.name}${code}`;
}

function causeOf(error: unknown): unknown {
  return error instanceof Error ? error.cause : undefined;
}
