import type { IncomingHttpHeaders } from 'node:http';
import { Agent } from 'undici';
import { JobError } from '../../contract/job-error.ts';
import { connectionFailure, wasNeverSent } from './connection-failures.ts';
import type { ImgnetCall } from './imgnet-source.ts';

const CONNECT_TIMEOUT_MS = 10_000;
/** Longest silence within an answer. */
const IDLE_TIMEOUT_MS = 60_000;
const CONNECTIONS = 8;
/** Answers that are no snapshots are small. */
const TEXT_MAX_BYTES = 262_144;
const TOKEN_MISSING = 'The dataset API needs a token; the operator must set IMGNET_API_TOKEN.';

export interface DatasetClientSettings {
  /** IMGNET_API_URL, without a slash at the end. */
  readonly apiUrl: string;
  /** IMGNET_API_TOKEN; without it every call fails and names the setting. */
  readonly token: string | undefined;
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
  const { token } = settings;
  const options = {
    connections: CONNECTIONS,
    headersTimeout: IDLE_TIMEOUT_MS,
    bodyTimeout: IDLE_TIMEOUT_MS,
    connect: { timeout: CONNECT_TIMEOUT_MS },
  };
  const reading = new Agent(options);
  // A kept connection that the server closes just then would leave it open whether the request arrived.
  const posting = new Agent({ ...options, pipelining: 0 });

  async function* stream<Item>(
    request: DatasetRequest,
    call: ImgnetCall,
    read: (answer: DatasetAnswer) => AsyncIterable<Item>,
  ): AsyncGenerator<Item> {
    if (token === undefined) {
      throw new NotBegunError(new JobError('tool_missing', TOKEN_MISSING));
    }
    const base = new URL(settings.apiUrl);
    const signal = AbortSignal.any([call.signal, AbortSignal.timeout(call.timeoutMs)]);
    let begun = false;
    try {
      signal.throwIfAborted();
      const response = await (request.method === 'POST' ? posting : reading).request({
        origin: base.origin,
        path: base.pathname.replace(/\/$/, '') + request.path,
        method: request.method,
        headers: {
          authorization: `Bearer ${token}`,
          accept: 'application/json, application/x-ndjson',
          ...(request.json === undefined ? {} : { 'content-type': 'application/json' }),
        },
        body: request.json === undefined ? null : JSON.stringify(request.json),
        signal,
      });
      begun = true;
      try {
        yield* read({
          statusCode: response.statusCode,
          retryAtMs: retryAtMsOf(response.headers),
          body: response.body as AsyncIterable<Uint8Array>,
        });
      } finally {
        // What was not read is thrown away with the connection.
        response.body.on('error', () => undefined).destroy();
      }
    } catch (error) {
      call.signal.throwIfAborted();
      const failure = connectionFailure(error, begun);
      if (begun || !wasNeverSent(error) || !(failure instanceof JobError)) throw failure;
      throw new NotBegunError(failure);
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
      const text = await boundedText(answer.body);
      return token === undefined ? text : text.replaceAll(token, '[token]');
    },
    close: async () => {
      await Promise.all([reading.destroy(), posting.destroy()]);
    },
  };
}

async function boundedText(body: AsyncIterable<Uint8Array>): Promise<string> {
  const chunks: Uint8Array[] = [];
  let sizeBytes = 0;
  for await (const chunk of body) {
    sizeBytes += chunk.length;
    if (sizeBytes > TEXT_MAX_BYTES) break;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

/** Retry-After (RFC 9110, 10.2.3): seconds or a date. */
function retryAtMsOf(headers: IncomingHttpHeaders): number | undefined {
  const value = headers['retry-after']?.trim() ?? '';
  if (/^\d{1,7}$/.test(value)) return Date.now() + Number(value) * 1000;
  const date = /^[A-Z][a-z]{2},/.test(value) ? Date.parse(value) : NaN;
  return Number.isNaN(date) ? undefined : date;
}
