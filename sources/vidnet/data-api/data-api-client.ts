import { pipeline, type Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
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
import type { Listed } from './data-api-schemas.ts';

const ANSWER_TIMEOUT_MS = 30_000;
const CONNECTION_LIMITS = { connectTimeoutMs: 10_000, idleTimeoutMs: ANSWER_TIMEOUT_MS };
/** The limit after decompression, because an answer is parsed in one step of the event loop. */
const MAX_ANSWER_BYTES = 6 * 1024 ** 2;

interface DataApiRequest<Parsed> {
  readonly resource: 'channels' | 'commentThreads' | 'comments' | 'playlistItems' | 'videos';
  /** Arrays are joined by commas, and undefined values are omitted. */
  readonly params: Readonly<Record<string, string | number | readonly string[] | undefined>>;
  readonly schema: z.ZodType<Parsed>;
}

/** Sends one request without retries. @throws JobError without the key in it, such as DataApiError; the signal's reason */
export type SendDataApiRequest = <Parsed>(request: DataApiRequest<Parsed>) => Promise<Parsed>;

export type DataApi = ReturnType<typeof createDataApi>;

/** Client of the Data API v3. It follows no redirect, because that would send the key to another server. */
export function createDataApi({ key, rootUrl }: { readonly key: string; readonly rootUrl: string }) {
  const base = `${rootUrl.replace(/\/$/, '')}/youtube/v3/`;
  const dispatcher = connectionsWith(CONNECTION_LIMITS);
  const headers = { accept: 'application/json', 'accept-encoding': 'gzip' };
  const send = async (url: URL, signal: AbortSignal) => {
    const { statusCode: status, headers: answerHeaders, body } = await answerTo(url, { dispatcher, headers, signal });
    const text = await textOf(body, answerHeaders['content-encoding']);
    // Error texts are logged, and a server may repeat the request in them.
    const safe = status < 300 ? text : text.replaceAll(key, '[key]');
    const json = parseJson(safe);
    // An error page of a proxy is kept as text.
    return { status, retryAfter: answerHeaders['retry-after']?.toString(), body: json === undefined ? safe : json };
  };
  return {
    /** All requests of one call share its signal and timeout. */
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

async function textOf(body: Readable, encoding: unknown): Promise<string> {
  const plain = encoding === 'gzip' ? pipeline(body, createGunzip(), () => undefined) : body;
  const { bytes, isWhole } = await beginningOf(plain, MAX_ANSWER_BYTES);
  if (!isWhole) throw unreachable('the answer is longer than any real one');
  return bytes.toString('utf8');
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

/** Requests the pages of a list when the consumer needs them. @param from the token of the first page */
export async function* pagesFrom<Item>(
  from: string | undefined,
  fetchPage: (pageToken: string | undefined) => Promise<Listed<Item>>,
): AsyncGenerator<Listed<Item>> {
  let token = from;
  do {
    const page = await fetchPage(token);
    // Otherwise the same page would use up the quota.
    if (page.nextPageToken !== undefined && page.nextPageToken === token) throw new JobError('dataApiEndless');
    yield page;
    token = page.nextPageToken;
  } while (token !== undefined);
}
