import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { z } from 'zod';
import {
  answerTo,
  beginningOf,
  connectionCode,
  connectionsWith,
  isTimeoutCode,
} from '../../../outbound/read-response.ts';
import { startDeadline } from '../../../runtime/deadline.ts';
import { JobError } from '../../../runtime/job-error.ts';
import { parseJson } from '../../../runtime/parse-json.ts';
import type { SourceCall } from '../../source-call-options.ts';
import { dataApiFailure } from './data-api-failures.ts';

/** Longest wait for one answer; the real API answers within a second or two. */
const ANSWER_TIMEOUT_MS = 30_000;
const CONNECTION_LIMITS = { connectTimeoutMs: 10_000, idleTimeoutMs: ANSWER_TIMEOUT_MS };
/**
 * Most bytes of an answer after decompression: it is parsed in one step of the event loop. 100 threads with five replies each,
 * all of 2,500 letters, stay below.
 */
const MAX_ANSWER_BYTES = 6 * 1024 ** 2;

const unzip = promisify(gunzip);

/** One request: the method `list` of a resource. */
interface DataApiRequest<Parsed> {
  readonly resource: 'channels' | 'commentThreads' | 'comments' | 'playlistItems' | 'videos';
  /** A list is sent as one, separated by commas, and undefined is left out. */
  readonly params: Readonly<Record<string, string | number | readonly string[] | undefined>>;
  readonly schema: z.ZodType<Parsed>;
}

/**
 * Sends one request to the Data API. It is not retried here: the workflow decides about retries.
 *
 * @throws JobError (a DataApiError where the API refused), never with the key in it; the signal's reason when aborted
 */
export type SendDataApiRequest = <Parsed>(request: DataApiRequest<Parsed>) => Promise<Parsed>;

export type DataApi = ReturnType<typeof createDataApi>;

/**
 * Client of the Data API v3 with an API key. It follows no redirect, because that would send the key to another server.
 *
 * @param settings.rootUrl `/youtube/v3/…` is below it
 */
export function createDataApi({ key, rootUrl }: { readonly key: string; readonly rootUrl: string }) {
  const base = `${rootUrl.replace(/\/$/, '')}/youtube/v3/`;
  const dispatcher = connectionsWith(CONNECTION_LIMITS);
  const headers = { accept: 'application/json', 'accept-encoding': 'gzip' };
  const send = async (url: URL, signal: AbortSignal) => {
    const { statusCode: status, headers: answerHeaders, body } = await answerTo(url, { dispatcher, headers, signal });
    const text = (await readBounded(body, answerHeaders['content-encoding'])).toString('utf8');
    // Error texts end up in logs, and a server may repeat the request in them.
    const safe = status < 300 ? text : text.replaceAll(key, '[key]');
    const json = parseJson(safe);
    // A body that is not JSON, such as an error page of a proxy, is kept as text.
    return { status, retryAfter: answerHeaders['retry-after']?.toString(), body: json === undefined ? safe : json };
  };
  return {
    /** All requests of one call share its signal and its time. */
    begin(call: SourceCall): SendDataApiRequest {
      const endsAtMs = performance.now() + call.timeoutMs;
      return async ({ resource, params, schema }) => {
        call.signal.throwIfAborted();
        const timeoutMs = Math.min(ANSWER_TIMEOUT_MS, endsAtMs - performance.now());
        if (timeoutMs <= 0) throw timeout('no answer within the time');
        const url = new URL(resource, base);
        for (const [name, value] of Object.entries(params)) {
          if (value !== undefined) url.searchParams.set(name, String(value));
        }
        url.searchParams.set('key', key);
        const deadline = startDeadline({ signal: call.signal, timeoutMs });
        const answer = await send(url, deadline.signal)
          .catch((error: unknown) => {
            call.signal.throwIfAborted();
            throw deadline.signal.aborted ? timeout('no answer within the time') : connectionFailure(error);
          })
          .finally(deadline.end);
        const what = `${resource}.list`;
        if (answer.status < 200 || answer.status >= 300) throw dataApiFailure(what, answer, Date.now());
        const parsed = schema.safeParse(answer.body);
        if (parsed.success) return parsed.data;
        throw new JobError('dataApiUnreadable', {
          cause: new Error(`${what}: ${z.prettifyError(parsed.error).slice(0, 1_000)}`),
        });
      };
    },
  };
}

/** Reads the whole answer before it decompresses it. */
async function readBounded(body: AsyncIterable<Uint8Array>, encoding: unknown): Promise<Buffer> {
  const { bytes, isWhole } = await beginningOf(body, MAX_ANSWER_BYTES);
  if (!isWhole) throw unreachable('the answer is longer than any real one');
  if (encoding !== 'gzip' || bytes.length === 0) return bytes;
  return unzip(bytes, { maxOutputLength: MAX_ANSWER_BYTES }).catch((error: unknown) => {
    const isTooLarge = connectionCode(error) === 'ERR_BUFFER_TOO_LARGE';
    throw isTooLarge ? unreachable('the answer is longer than any real one') : error;
  });
}

/** Keeps only class and code, because messages of network errors may contain the URL and thus the key. */
function connectionFailure(error: unknown): JobError {
  if (error instanceof JobError) return error;
  const code = connectionCode(error);
  const detail = `the connection failed: ${[error instanceof Error ? error.name : '', code ?? ''].join(' ').trim()}`;
  return isTimeoutCode(code) ? timeout(detail) : unreachable(detail);
}

function timeout(detail: string): JobError {
  return new JobError('dataApiTimeout', { cause: new Error(detail) });
}

function unreachable(detail: string): JobError {
  return new JobError('dataApiUnreachable', { cause: new Error(detail) });
}
