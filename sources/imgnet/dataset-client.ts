import type { IncomingMessage } from 'node:http';
import { JobError } from '../../runtime/job-error.ts';
import { retryAfterAtMs } from '../../runtime/retry-after.ts';
import { answerTo, beginningOf, chunksOf } from '../http-answer.ts';
import { connectionFailure } from './connection-failures.ts';
import { connectionsTo } from './dataset-connections.ts';
import type { ImgnetCall } from './imgnet-source.ts';

const CONNECT_TIMEOUT_MS = 10_000;
/** Longest silence within an answer. */
const IDLE_TIMEOUT_MS = 60_000;
const MAX_HEADER_BYTES = 16_384;
/** Answers that are no snapshots are small. */
const TEXT_MAX_BYTES = 262_144;
const TOKEN_MISSING = 'The dataset API needs a token; the operator must set IMGNET_API_TOKEN.';

export interface DatasetClientSettings {
  /** IMGNET_API_URL, without a slash at the end. */
  readonly apiUrl: string;
  /** IMGNET_API_TOKEN; without it every call fails and names the setting. */
  readonly token: string | undefined;
  /** Limit of look-up, TCP and TLS together, in milliseconds. */
  readonly connectTimeoutMs?: number;
  /** Longest silence before and within an answer, in milliseconds. */
  readonly idleTimeoutMs?: number;
  /** Certificate authorities (PEM) trusted instead of the usual ones. */
  readonly trustedCa?: string;
}

export interface DatasetRequest {
  readonly method: 'GET' | 'POST';
  /** With its query. */
  readonly path: string;
  readonly json?: unknown;
}

export interface DatasetAnswer {
  readonly statusCode: number;
  /** When to come back, in milliseconds since 1970, if the API says so. */
  readonly retryAtMs: number | undefined;
  readonly body: AsyncIterable<Uint8Array>;
}

/** The API has begun nothing: it was not reached, or refused. */
export class NotBegunError extends JobError {
  constructor(failure: JobError) {
    super(failure.code, failure.message, { cause: failure.cause, retryAtMs: failure.retryAtMs });
  }
}

export interface DatasetClient {
  /**
   * Sends a request and hands its answer, whatever the status, to `read`; the connection is given back after that.
   *
   * @throws JobError, of which NotBegunError is one; the signal's reason
   */
  exchange<Result>(
    request: DatasetRequest,
    call: ImgnetCall,
    read: (answer: DatasetAnswer) => Promise<Result>,
  ): Promise<Result>;
  /** The same for answers that are read while they arrive. */
  stream<Item>(
    request: DatasetRequest,
    call: ImgnetCall,
    read: (answer: DatasetAnswer) => AsyncIterable<Item>,
  ): AsyncGenerator<Item>;
  /** A small body as text, without the token should it be in there. */
  text(answer: DatasetAnswer): Promise<string>;
  close(): Promise<void>;
}

/** HTTP with the dataset API: the token, limits of time, no redirects, errors sorted. */
export function createDatasetClient(settings: DatasetClientSettings): DatasetClient {
  const { token, connectTimeoutMs = CONNECT_TIMEOUT_MS, idleTimeoutMs = IDLE_TIMEOUT_MS } = settings;
  const base = new URL(settings.apiUrl);
  const { reading, posting, send } = connectionsTo(base, settings.trustedCa);
  const underWay = new Set<AbortController>();
  let isClosed = false;

  async function* stream<Item>(
    request: DatasetRequest,
    call: ImgnetCall,
    read: (answer: DatasetAnswer) => AsyncIterable<Item>,
  ): AsyncGenerator<Item> {
    if (token === undefined) {
      throw new NotBegunError(new JobError('tool_missing', TOKEN_MISSING));
    }
    call.signal.throwIfAborted();
    // Not AbortSignal.any: it would keep a listener on a long-lived signal for every request.
    const stop = new AbortController();
    const onAbort = (): void => stop.abort(call.signal.reason);
    call.signal.addEventListener('abort', onAbort, { once: true });
    const onLate = (): void => stop.abort(new DOMException('the time of the call is over', 'TimeoutError'));
    const deadline = setTimeout(onLate, call.timeoutMs);
    underWay.add(stop);
    if (isClosed) stop.abort(closedError());
    const limits = { signal: stop.signal, connectTimeoutMs, idleTimeoutMs };
    const body = request.json === undefined ? undefined : JSON.stringify(request.json);
    const progress = { isSent: false };
    let answer: IncomingMessage | undefined;
    try {
      const sent = send(base, {
        path: base.pathname.replace(/\/$/, '') + request.path,
        method: request.method,
        headers: {
          authorization: `Bearer ${token}`,
          accept: 'application/json, application/x-ndjson',
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
          // A kept connection that the server closes just then would leave it open whether the request arrived.
          ...(request.method === 'POST' ? { connection: 'close' } : {}),
        },
        agent: request.method === 'POST' ? posting : reading,
        maxHeaderSize: MAX_HEADER_BYTES,
        signal: stop.signal,
      });
      answer = await answerTo(sent, limits, { body, onSending: () => (progress.isSent = true) });
      yield* read({
        statusCode: answer.statusCode ?? 0,
        retryAtMs: retryAfterAtMs(answer.headers['retry-after']),
        body: chunksOf(answer, limits),
      });
    } catch (error) {
      call.signal.throwIfAborted();
      const failure = connectionFailure(error, answer !== undefined);
      if (progress.isSent || !(failure instanceof JobError)) throw failure;
      throw new NotBegunError(failure);
    } finally {
      clearTimeout(deadline);
      call.signal.removeEventListener('abort', onAbort);
      underWay.delete(stop);
      // What was not read is thrown away with the connection.
      answer?.destroy();
    }
  }

  return {
    stream,
    async exchange(request, call, read) {
      const results = stream(request, call, async function* (answer) {
        yield await read(answer);
      });
      for await (const result of results) return result;
      throw new Error('an answer was read without a result');
    },
    text: async (answer) => {
      const { bytes } = await beginningOf(answer.body, TEXT_MAX_BYTES);
      const text = bytes.toString('utf8');
      return token === undefined ? text : text.replaceAll(token, '[token]');
    },
    close: () => {
      isClosed = true;
      for (const stop of underWay) stop.abort(closedError());
      reading.destroy();
      posting.destroy();
      return Promise.resolve();
    },
  };
}

/** With a code, as the other errors of connections have: whether a trigger arrived is then as open. */
function closedError(): Error {
  return Object.assign(new Error('the client is closed'), { code: 'ECONNABORTED' });
}
