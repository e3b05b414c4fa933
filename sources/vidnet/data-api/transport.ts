import http, { type IncomingMessage } from 'node:http';
import https from 'node:https';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { answerTo, beginningOf, chunksOf, KEPT_IDLE_MS, type AnswerLimits } from '../../http-answer.ts';

/**
 * Most bytes of an answer after decompression: it is parsed in one turn of the event loop. 100 threads with five replies each,
 * all of 2,500 letters, stay below.
 */
const MAX_ANSWER_BYTES = 6 * 1024 ** 2;
const CONNECT_TIMEOUT_MS = 10_000;
/** As long as the client waits for a whole answer. */
const IDLE_TIMEOUT_MS = 30_000;
const MAX_HEADER_BYTES = 16_384;

const unzip = promisify(gunzip);

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
  const { origin, protocol } = new URL(rootUrl);
  const kept = { keepAlive: true, timeout: KEPT_IDLE_MS };
  const agent = protocol === 'https:' ? new https.Agent(kept) : new http.Agent(kept);
  const send: typeof http.request = protocol === 'https:' ? https.request : http.request;
  return async (input, init) => {
    const url = new URL(input instanceof Request ? input.url : input);
    if (url.origin !== origin) throw new TransportError('unreachable', 'the client library left the base address');
    url.searchParams.set('key', key);
    // Without a signal of the caller's, only silence ends the request.
    const signal = init?.signal ?? new AbortController().signal;
    const limits = { signal, connectTimeoutMs: CONNECT_TIMEOUT_MS, idleTimeoutMs: IDLE_TIMEOUT_MS };
    try {
      // Follows no redirect: that would carry the key to wherever it leads. Its answer is taken as it is.
      const sent = send(url, {
        method: 'GET',
        headers: { ...Object.fromEntries(new Headers(init?.headers)), 'accept-encoding': 'gzip' },
        agent,
        maxHeaderSize: MAX_HEADER_BYTES,
        signal,
      });
      const answer = await answerTo(sent, limits);
      const status = answer.statusCode ?? 0;
      const body = await readBounded(answer, limits).finally(() => answer.destroy());
      // A status that may have no body.
      const whole = [204, 205, 304].includes(status) ? null : body;
      return new Response(status < 300 ? whole : withoutKey(whole, key), { status, headers: headersOf(answer) });
    } catch (error) {
      if (error instanceof TransportError) throw error;
      throw new TransportError(isTimeout(error) ? 'timeout' : 'unreachable', describe(error));
    }
  };
}

/** Reads as fast as the answer comes, and unpacks it only then. */
async function readBounded(answer: IncomingMessage, limits: AnswerLimits): Promise<Buffer> {
  const { bytes, isWhole } = await beginningOf(chunksOf(answer, limits), MAX_ANSWER_BYTES);
  if (!isWhole) throw tooLarge();
  if (answer.headers['content-encoding'] !== 'gzip' || bytes.length === 0) return bytes;
  return unzip(bytes, { maxOutputLength: MAX_ANSWER_BYTES }).catch((error: unknown) => {
    throw codeOf(error) === 'ERR_BUFFER_TOO_LARGE' ? tooLarge() : error;
  });
}

function tooLarge(): TransportError {
  return new TransportError('too_large', 'the answer is longer than any real one');
}

function headersOf({ headers }: IncomingMessage): Record<string, string> {
  return Object.fromEntries(
    ['content-type', 'retry-after'].flatMap((name) => {
      const value = headers[name];
      return typeof value === 'string' ? [[name, value]] : [];
    }),
  );
}

/** Texts of errors end up in logs, and a server may repeat what it was asked. */
function withoutKey(body: Buffer | null, key: string): Buffer | string | null {
  return body?.includes(key) === true ? body.toString('utf8').replaceAll(key, '[key]') : body;
}

function isTimeout(error: unknown): boolean {
  return codeOf(error) === 'ETIMEDOUT';
}

/** Class and code only: messages of network errors may repeat the URL, and with it the key. */
function describe(error: unknown): string {
  if (!(error instanceof Error)) return 'the connection failed';
  return `the connection failed: ${[error.name, codeOf(error) ?? ''].join(' ').trim()}`;
}

function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}
