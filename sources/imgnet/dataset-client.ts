import { Readable } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { errors } from 'undici';
import { startDeadline } from '../../runtime/deadline.ts';
import { JobError } from '../../runtime/job-error.ts';
import { retryAfterAtMs } from '../../runtime/retry-after.ts';
import { answerTo, beginningOf, connectionCode, connectionsWith, isTimeoutCode } from '../../outbound/read-response.ts';
import type { ImgnetCall } from './imgnet-source.ts';

const CONNECT_TIMEOUT_MS = 10_000;
/** Longest silence within an answer. */
const IDLE_TIMEOUT_MS = 60_000;
/** For reading at a time, and as many for what starts something; others wait. */
const CONNECTIONS = 8;
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

export type DatasetClient = ReturnType<typeof createDatasetClient>;

/** HTTP with the dataset API: the token, limits of time, no redirects, errors sorted. */
export function createDatasetClient(settings: DatasetClientSettings) {
  const { token, connectTimeoutMs = CONNECT_TIMEOUT_MS, idleTimeoutMs = IDLE_TIMEOUT_MS } = settings;
  const limits = { connectTimeoutMs, idleTimeoutMs, connections: CONNECTIONS, trustedCa: settings.trustedCa };
  const dispatchers = { GET: connectionsWith(limits), POST: connectionsWith(limits) };

  /** Answers that are read while they arrive. */
  async function* stream<Item>(
    { method, path, json }: DatasetRequest,
    call: ImgnetCall,
    read: (answer: DatasetAnswer) => AsyncIterable<Item>,
  ): AsyncGenerator<Item> {
    if (token === undefined) {
      throw new NotBegunError(new JobError('tool_missing', TOKEN_MISSING));
    }
    call.signal.throwIfAborted();
    const deadline = startDeadline(call);
    const text = json === undefined ? undefined : JSON.stringify(json);
    const progress = { isSent: false, isAnswered: false };
    // Asked for right before the first byte is written: whatever fails earlier, the other side can't have seen the request.
    const content = async function* (): AsyncGenerator<Buffer> {
      progress.isSent = true;
      if (text !== undefined) yield await Promise.resolve(Buffer.from(text));
    };
    try {
      const { statusCode, headers, body } = await answerTo(settings.apiUrl.replace(/\/$/, '') + path, {
        method,
        headers: {
          authorization: `Bearer ${token}`,
          accept: 'application/json, application/x-ndjson',
          ...(text && { 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(text)) }),
        },
        body: text === undefined ? null : Readable.from(content()),
        dispatcher: dispatchers[method],
        // A kept connection that the server closes just then would leave it open whether the request arrived.
        reset: method === 'POST',
        signal: deadline.signal,
      });
      progress.isAnswered = true;
      yield* read({ statusCode, retryAtMs: retryAfterAtMs(headers['retry-after']?.toString()), body });
    } catch (error) {
      call.signal.throwIfAborted();
      const failure = connectionFailure(error, progress.isAnswered);
      if (progress.isSent || progress.isAnswered || !(failure instanceof JobError)) throw failure;
      throw new NotBegunError(failure);
    } finally {
      deadline.end();
      // What was not read is thrown away with the connection.
      deadline.abort();
      // A connection is not free for the next request before.
      await nextTurn();
    }
  }

  return {
    stream,
    /**
     * Sends a request and hands its answer, whatever the status, to `read`; the connection is given back after that.
     *
     * @throws JobError, of which NotBegunError is one; the signal's reason
     */
    async exchange<Result>(
      request: DatasetRequest,
      call: ImgnetCall,
      read: (answer: DatasetAnswer) => Promise<Result>,
    ): Promise<Result> {
      const results = stream(request, call, async function* (answer) {
        yield await read(answer);
      });
      for await (const result of results) return result;
      throw new Error('an answer was read without a result');
    },
    /** A small body as text, without the token should it be in there. */
    text: async (answer: DatasetAnswer): Promise<string> => {
      const { bytes } = await beginningOf(answer.body, TEXT_MAX_BYTES);
      const text = bytes.toString('utf8');
      return token === undefined ? text : text.replaceAll(token, '[token]');
    },
    async close(): Promise<void> {
      await Promise.all([dispatchers.GET.destroy(), dispatchers.POST.destroy()]);
    },
  };
}

/**
 * What a connection threw, sorted. Whether the other side can have seen the request is not told by the error: the same
 * codes come before and after it was sent.
 *
 * @param whileReading the answer had begun
 * @returns the error itself when it is not one of a connection
 */
export function connectionFailure(error: unknown, whileReading: boolean): unknown {
  if (error instanceof JobError) return error;
  // Some kinds of garbage have no code.
  const code = error instanceof errors.HTTPParserError ? error.name : connectionCode(error);
  // Not the error itself: it may hold what was sent, and with it the token.
  const cause = new Error(code ?? String(error));
  const isTimeout = error instanceof DOMException && error.name === 'TimeoutError';
  if (isTimeout || isTimeoutCode(code)) {
    return new JobError('upstream_timeout', 'The dataset API did not answer in time.', { cause });
  }
  if (code === undefined) return error;
  return whileReading
    ? new JobError('incomplete', 'The dataset API ended its answer too early.', { cause })
    : new JobError('upstream_error', 'The dataset API could not be reached.', { cause });
}
