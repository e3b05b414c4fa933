import { youtube, type youtube_v3 } from '@googleapis/youtube';
import { z } from 'zod';
import { startDeadline } from '../../../runtime/deadline.ts';
import { JobError } from '../../../runtime/job-error.ts';
import type { SourceCall } from '../../call.ts';
import { dataApiFailure } from './failures.ts';
import { createTransport, TransportError } from './transport.ts';

/** Longest wait for one answer; the real API answers within a second or two. */
const ANSWER_TIMEOUT_MS = 30_000;

export interface DataApiSettings {
  readonly key: string;
  /** Base address: `/youtube/v3/…` is below it. */
  readonly rootUrl: string;
}

/** What the client library hands back, whatever the status. */
interface Answer {
  readonly status: number;
  readonly headers: Headers | Readonly<Record<string, unknown>>;
  readonly data: unknown;
}

/** One request. `what` is the method's name, such as `channels.list`. */
export interface DataApiRequest<Parsed> {
  readonly what: string;
  readonly schema: z.ZodType<Parsed>;
  readonly send: (client: youtube_v3.Youtube, options: RequestOptions) => Promise<Answer>;
}

interface RequestOptions {
  readonly signal: AbortSignal;
  /** With every request, since the library drops the path of the one that a client is made with. */
  readonly rootUrl: string;
}

/**
 * Asks the Data API.
 *
 * @throws JobError (a DataApiError where the API refused), never with the key in it; the signal's reason when aborted
 */
export type AskDataApi = <Parsed>(request: DataApiRequest<Parsed>) => Promise<Parsed>;

export interface DataApi {
  /** All requests of one call share its signal and its time. */
  begin(call: SourceCall): AskDataApi;
}

/** The Data API v3, asked with an API key by Google's client library. */
export function createDataApi(settings: DataApiSettings): DataApi {
  const client = youtube({
    version: 'v3',
    // Otherwise GOOGLE_CLOUD_UNIVERSE_DOMAIN would lead the requests elsewhere.
    universeDomain: 'googleapis.com',
    fetchImplementation: createTransport(settings),
    // The transport takes no proxy; without this, a malformed HTTPS_PROXY would still end every request.
    noProxy: [/^/],
    // The workflow decides when to try again, as it sees all jobs.
    retry: false,
    // The library's error class holds the request and the response: refusals are sorted without it.
    validateStatus: () => true,
    responseType: 'json',
  });
  return {
    begin(call) {
      const endsAtMs = performance.now() + call.timeoutMs;
      return async ({ what, schema, send }) => {
        const timeoutMs = Math.min(ANSWER_TIMEOUT_MS, endsAtMs - performance.now());
        const answer = await withDeadline(call.signal, timeoutMs, (signal) =>
          send(client, { signal, rootUrl: settings.rootUrl }),
        );
        if (answer.status < 200 || answer.status >= 300) {
          const retryAfter = new Headers(Object.entries(answer.headers)).get('retry-after') ?? undefined;
          throw dataApiFailure(what, { status: answer.status, body: answer.data, retryAfter }, Date.now());
        }
        const parsed = schema.safeParse(answer.data);
        if (!parsed.success) {
          throw new JobError('upstream_error', 'The Data API gave an answer that cannot be understood.', {
            cause: new Error(`${what}: ${z.prettifyError(parsed.error).slice(0, 1_000)}`),
          });
        }
        return parsed.data;
      };
    },
  };
}

async function withDeadline(
  callSignal: AbortSignal,
  timeoutMs: number,
  send: (signal: AbortSignal) => Promise<Answer>,
): Promise<Answer> {
  callSignal.throwIfAborted();
  const deadline = startDeadline({ signal: callSignal, timeoutMs });
  try {
    return await send(deadline.signal);
  } catch (error) {
    callSignal.throwIfAborted();
    const isLate = timeoutMs <= 0 || deadline.signal.aborted;
    throw isLate ? timeout('no answer within the time') : transportFailure(error);
  } finally {
    deadline.end();
  }
}

/** The library wraps what the transport throws, together with the request. Only what the transport said is kept. */
function transportFailure(error: unknown): Error {
  const thrown = [error, error instanceof Error ? error.cause : undefined].find((one) => one instanceof TransportError);
  // Not from the network, so a bug; its stack is wanted, what it holds is not.
  if (thrown === undefined) return new Error(`the Data API could not be asked: ${String(error)}`);
  if (thrown.kind === 'timeout') return timeout(thrown.message);
  return new JobError('upstream_error', 'The Data API cannot be reached.', { cause: thrown });
}

function timeout(detail: string): JobError {
  return new JobError('upstream_timeout', 'The Data API did not answer in time.', { cause: new Error(detail) });
}
