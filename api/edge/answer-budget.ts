import type { ServerResponse } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { HTTPResponse, type Middleware } from 'h3';
import { ApiError } from '../../contract/http/api-error.ts';
import { rateLimitKeyOf } from '../access/access-middleware.ts';

/** The text of an answer takes up to four times its bytes in memory: as objects, as text and in the socket's buffer. */
export const ANSWER_BUDGET = {
  perCallerBytes: 16 << 20,
  inAllBytes: 64 << 20,
  streamsPerCaller: 32,
};
export type AnswerBudgetOptions = Readonly<typeof ANSWER_BUDGET>;

/** Smaller answers are bounded by the number of connections. */
export const SMALL_BYTES = 64 * 1024;
/** An answer that is sent in pieces holds only one piece. */
export const STREAM_BYTES = 1 << 20;
const ROOM_CHECK_MS = 250;
/** An export also costs processor time while it is sent, so one caller can read eight at once, and all callers 32. */
const EXPORT_BYTES = 2 << 20;
/** Files are read in pieces of 64 KiB. */
const FILE_BYTES = 128 * 1024;
export const EVENT_STREAM = 'text/event-stream';
const SENT_AS_FILES = /^\/(?:files|feeds\/[^/]+|docs|console)\//;

export type Release = () => void;
export type AnswerBudget = ReturnType<typeof createAnswerBudget>;

/** Limits the bytes of unsent answers, because a caller that reads none could fill the memory. One answer may have any size. */
export function createAnswerBudget({ perCallerBytes, inAllBytes, streamsPerCaller }: AnswerBudgetOptions) {
  const bytes = new Map<string, number>();
  const streams = new Map<string, number>();
  const hold = (caller: string, wanted: number): Release => {
    const own = bytes.get(caller) ?? 0;
    if (own > 0 && own + wanted > perCallerBytes) {
      throw refusal('answers_unread', 'Too many large answers were requested and are not read yet.');
    }
    const inAll = [...bytes.values()].reduce((sum, one) => sum + one, 0);
    if (inAll > 0 && inAll + wanted > inAllBytes) {
      throw refusal('unavailable', 'Too many large answers are being sent. Try again soon.');
    }
    return add(bytes, caller, wanted);
  };
  return {
    hold,
    openStream(caller: string): Release {
      if ((streams.get(caller) ?? 0) < streamsPerCaller) return add(streams, caller, 1);
      const most = `A caller can have ${String(streamsPerCaller)} event streams open at once.`;
      throw refusal('answers_unread', `${most} Close one, or follow all jobs by GET /api/downloads/events.`);
    },
    /** Waits until the budget allows an answer. @param left aborted when the reader leaves, which ends the wait with an error */
    async waitForRoom(caller: string, wanted: number, left: AbortSignal): Promise<Release> {
      for (;;) {
        left.throwIfAborted();
        try {
          return hold(caller, wanted);
        } catch (error) {
          if (!(error instanceof ApiError)) throw error;
        }
        await delay(ROOM_CHECK_MS, undefined, { signal: left });
      }
    },
  };
}

/** Adds to a caller's sum. @returns subtracts it again, once, and removes the sum when it is zero */
function add(sums: Map<string, number>, caller: string, amount: number): Release {
  let held = amount;
  sums.set(caller, (sums.get(caller) ?? 0) + held);
  return () => {
    const left = (sums.get(caller) ?? 0) - held;
    held = 0;
    if (left > 0) sums.set(caller, left);
    else sums.delete(caller);
  };
}

function refusal(code: 'answers_unread' | 'unavailable', message: string): ApiError {
  return new ApiError(code, message, { retryAfterSeconds: 5 });
}

export function meterAnswers(budget: AnswerBudget): Middleware {
  return async (event, next) => {
    const caller = rateLimitKeyOf(event);
    const response = event.runtime?.node?.res as ServerResponse | undefined;
    if (SENT_AS_FILES.test(event.url.pathname)) releaseAtClose(response, budget.hold(caller, FILE_BYTES));
    const answer = await next();
    if (!(answer instanceof HTTPResponse)) return answer;
    try {
      const release = admit(answer, budget, caller);
      if (release !== undefined) releaseAtClose(response, release);
    } catch (error) {
      if (answer.body instanceof ReadableStream) await answer.body.cancel();
      throw error;
    }
    return answer;
  };
}

function admit({ body, headers }: HTTPResponse, budget: AnswerBudget, caller: string): Release | undefined {
  if (typeof body === 'string') {
    const bytes = Buffer.byteLength(body);
    return bytes > SMALL_BYTES ? budget.hold(caller, bytes) : undefined;
  }
  if (!(body instanceof ReadableStream)) return undefined;
  if (headers.get('content-type') === EVENT_STREAM) return budget.openStream(caller);
  return budget.hold(caller, headers.has('content-disposition') ? EXPORT_BYTES : STREAM_BYTES);
}

export function releaseAtClose(response: ServerResponse | undefined, release: Release): void {
  if (response === undefined || response.closed) release();
  else response.once('close', release);
}
