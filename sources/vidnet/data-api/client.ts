import { z } from 'zod';
import { startDeadline } from '../../../runtime/deadline.ts';
import { JobError } from '../../../runtime/job-error.ts';
import type { SourceCall } from '../../call.ts';
import { dataApiFailure } from './failures.ts';
import {
  createTransport,
  TransportError,
  type DataApiSettings,
  type Params,
  type Resource,
  type TransportAnswer,
} from './transport.ts';

/** Longest wait for one answer; the real API answers within a second or two. */
const ANSWER_TIMEOUT_MS = 30_000;

/** One request: the method `list` of a resource. */
export interface DataApiRequest<Parsed> {
  readonly resource: Resource;
  readonly params: Params;
  readonly schema: z.ZodType<Parsed>;
}

/**
 * Asks the Data API. It is asked once: the workflow decides when to try again, as it sees all jobs.
 *
 * @throws JobError (a DataApiError where the API refused), never with the key in it; the signal's reason when aborted
 */
export type AskDataApi = <Parsed>(request: DataApiRequest<Parsed>) => Promise<Parsed>;

export interface DataApi {
  /** All requests of one call share its signal and its time. */
  begin(call: SourceCall): AskDataApi;
}

/** The Data API v3, asked with an API key. */
export function createDataApi(settings: DataApiSettings): DataApi {
  const send = createTransport(settings);
  return {
    begin(call) {
      const endsAtMs = performance.now() + call.timeoutMs;
      return async ({ resource, params, schema }) => {
        const what = `${resource}.list`;
        const timeoutMs = Math.min(ANSWER_TIMEOUT_MS, endsAtMs - performance.now());
        const { status, retryAfter, text } = await withDeadline(call.signal, timeoutMs, (signal) =>
          send(resource, params, signal),
        );
        const body = jsonOf(text);
        if (status < 200 || status >= 300) throw dataApiFailure(what, { status, body, retryAfter }, Date.now());
        const parsed = schema.safeParse(body);
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

/** The text itself where it is no JSON: a proxy's page says something too. */
function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

async function withDeadline(
  callSignal: AbortSignal,
  timeoutMs: number,
  send: (signal: AbortSignal) => Promise<TransportAnswer>,
): Promise<TransportAnswer> {
  callSignal.throwIfAborted();
  if (timeoutMs <= 0) throw timeout('no answer within the time');
  const deadline = startDeadline({ signal: callSignal, timeoutMs });
  try {
    return await send(deadline.signal);
  } catch (error) {
    callSignal.throwIfAborted();
    if (deadline.signal.aborted) throw timeout('no answer within the time');
    // Not from the network, so a bug.
    if (!(error instanceof TransportError)) throw error;
    if (error.kind === 'timeout') throw timeout(error.message);
    throw new JobError('upstream_error', 'The Data API cannot be reached.', { cause: error });
  } finally {
    deadline.end();
  }
}

function timeout(detail: string): JobError {
  return new JobError('upstream_timeout', 'The Data API did not answer in time.', { cause: new Error(detail) });
}
