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

export interface DataApiSettings {
  readonly key: string;
  /** Base address: `/youtube/v3/…` is below it. */
  readonly rootUrl: string;
}

/** Lists that the API has. */
export type Resource = 'channels' | 'commentThreads' | 'comments' | 'playlistItems' | 'videos';
/** Query parameters; a list is sent as one, separated by commas, and undefined is left out. */
export type Params = Readonly<Record<string, string | number | readonly string[] | undefined>>;

export interface TransportAnswer {
  readonly status: number;
  readonly retryAfter: string | undefined;
  readonly text: string;
}

/**
 * Sends requests of the Data API v3 and reads their answers, whatever their status. It takes no proxy from the environment and
 * follows no redirect: that would carry the key to wherever it leads.
 *
 * @throws TransportError when no whole answer came; the key is in no error
 */
export function createTransport({ key, rootUrl }: DataApiSettings) {
  const base = `${rootUrl.replace(/\/$/, '')}/youtube/v3/`;
  const kept = { keepAlive: true, timeout: KEPT_IDLE_MS };
  const isSecure = new URL(rootUrl).protocol === 'https:';
  const agent = isSecure ? new https.Agent(kept) : new http.Agent(kept);
  const send: typeof http.request = isSecure ? https.request : http.request;
  return async (resource: Resource, params: Params, signal: AbortSignal): Promise<TransportAnswer> => {
    const url = new URL(resource, base);
    for (const [name, value] of Object.entries(params)) {
      if (value !== undefined) url.searchParams.set(name, String(value));
    }
    url.searchParams.set('key', key);
    const limits = { signal, connectTimeoutMs: CONNECT_TIMEOUT_MS, idleTimeoutMs: IDLE_TIMEOUT_MS };
    const headers = { accept: 'application/json', 'accept-encoding': 'gzip' };
    try {
      const sent = send(url, { method: 'GET', headers, agent, maxHeaderSize: MAX_HEADER_BYTES, signal });
      const answer = await answerTo(sent, limits);
      const status = answer.statusCode ?? 0;
      const body = await readBounded(answer, limits).finally(() => answer.destroy());
      // Texts of errors end up in logs, and a server may repeat what it was asked.
      const text = status < 300 ? body.toString('utf8') : body.toString('utf8').replaceAll(key, '[key]');
      return { status, retryAfter: answer.headers['retry-after'], text };
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
