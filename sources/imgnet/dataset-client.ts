import { Readable } from 'node:stream';
import { setImmediate as nextTick } from 'node:timers/promises';
import { errors } from 'undici';
import { startDeadline } from '../../runtime/deadline.ts';
import { JobError } from '../../runtime/job-error.ts';
import { retryAfterAtMs } from '../../runtime/retry-after.ts';
import { answerTo, beginningOf, connectionCode, connectionsWith, isTimeoutCode } from '../../outbound/read-response.ts';
import type { ImgnetCall } from './imgnet-source.ts';

const CONNECT_TIMEOUT_MS = 10_000;
/** Longest time without data before and within an answer. */
const IDLE_TIMEOUT_MS = 60_000;
/** Connections for GET requests, and the same number for POST requests. Further requests wait. */
const CONNECTIONS = 8;
/** All answers except the rows of a snapshot are small. */
const TEXT_MAX_BYTES = 262_144;

export interface DatasetClientSettings {
  /** IMGNET_API_URL, without a slash at the end. */
  readonly apiUrl: string;
  /** IMGNET_API_TOKEN; without it every call fails and names the setting. */
  readonly token: string | undefined;
  readonly connectTimeoutMs?: number;
  readonly idleTimeoutMs?: number;
  /** Certificate authorities (PEM) trusted instead of the usual ones. */
  readonly trustedCa?: string;
}

export interface DatasetRequest {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly json?: unknown;
}

export interface DatasetAnswer {
  readonly statusCode: number;
  /** When to come back, in milliseconds since 1970, if the API says so. */
  readonly retryAtMs: number | undefined;
  readonly body: AsyncIterable<Uint8Array>;
}

/** An answer that was read, without the token in it. */
export interface TextAnswer extends Partial<Omit<DatasetAnswer, 'body'>> {
  readonly statusCode: number;
  readonly text: string;
}

/** The API has started nothing: it was not reached, or it refused the request. */
export class NotBegunError extends JobError {
  constructor(failure: JobError) {
    super(failure, { cause: failure.cause, retryAtMs: failure.retryAtMs });
  }
}

export type DatasetClient = ReturnType<typeof createDatasetClient>;

/** HTTP client of the dataset API. It adds the token, limits the time, follows no redirect and maps errors to failures. */
export function createDatasetClient(settings: DatasetClientSettings) {
  const { token, connectTimeoutMs = CONNECT_TIMEOUT_MS, idleTimeoutMs = IDLE_TIMEOUT_MS } = settings;
  const limits = { connectTimeoutMs, idleTimeoutMs, connections: CONNECTIONS, trustedCa: settings.trustedCa };
  const dispatchers = { GET: connectionsWith(limits), POST: connectionsWith(limits) };

  /** Reads an answer while it arrives. */
  async function* stream<Item>(
    { method, path, json }: DatasetRequest,
    call: ImgnetCall,
    read: (answer: DatasetAnswer) => AsyncIterable<Item>,
  ): AsyncGenerator<Item> {
    if (token === undefined) {
      throw new NotBegunError(new JobError('datasetTokenMissing'));
    }
    call.signal.throwIfAborted();
    const deadline = startDeadline(call);
    const text = json === undefined ? undefined : JSON.stringify(json);
    const progress = { isSent: false, isAnswered: false };
    // undici reads this body right before it writes the first byte. After an earlier error, the API cannot have seen the request.
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
        // If the server closed a reused connection at this moment, it would be unknown whether the request arrived.
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
      // Closing the connection discards the unread part of the answer.
      deadline.abort();
      // The connection becomes free for the next request only after this tick.
      await nextTick();
    }
  }

  const textOf = async ({ body }: DatasetAnswer): Promise<string> => {
    const text = (await beginningOf(body, TEXT_MAX_BYTES)).bytes.toString('utf8');
    return token === undefined ? text : text.replaceAll(token, '[token]');
  };

  return {
    stream,
    /** Reads a small body as text and masks the token in it. */
    textOf,
    /** Returns the answer, whatever its status. @throws JobError, such as NotBegunError; the signal's reason */
    async exchange(request: DatasetRequest, call: ImgnetCall): Promise<TextAnswer> {
      const answers = stream(request, call, async function* ({ body, ...answer }) {
        yield { ...answer, text: await textOf({ ...answer, body }) };
      });
      for await (const answer of answers) return answer;
      throw new Error('an answer was read without a result');
    },
    async close(): Promise<void> {
      await Promise.all([dispatchers.GET.destroy(), dispatchers.POST.destroy()]);
    },
  };
}

/** @param whileReading whether the answer had begun @returns the failure of a connection, or any other error unchanged */
export function connectionFailure(error: unknown, whileReading: boolean): unknown {
  if (error instanceof JobError) return error;
  // Some parser errors have no code.
  const code = error instanceof errors.HTTPParserError ? error.name : connectionCode(error);
  // The error itself is not kept, because it may hold the request and thus the token.
  const cause = new Error(code ?? String(error));
  const isTimeout = error instanceof DOMException && error.name === 'TimeoutError';
  if (isTimeout || isTimeoutCode(code)) {
    return new JobError('datasetTimeout', { cause });
  }
  if (code === undefined) return error;
  return whileReading ? new JobError('datasetIncomplete', { cause }) : new JobError('datasetUnreachable', { cause });
}
