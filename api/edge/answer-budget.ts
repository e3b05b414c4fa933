import type { ServerResponse } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { HTTPResponse, type H3Event, type Middleware } from 'h3';
import { ApiError } from '../../contract/errors.ts';
import { sharerOf } from '../access/access-middleware.ts';

export interface AnswerBudgetOptions {
  /** What the answers of one caller may hold that are not sent yet, in bytes of their text. */
  readonly perCallerBytes: number;
  /** The same of all callers together. */
  readonly inAllBytes: number;
}

/** The text of an answer takes up to four times its bytes in memory, as objects, as text and as what waits in the socket. */
export const ANSWER_BUDGET: AnswerBudgetOptions = { perCallerBytes: 16 << 20, inAllBytes: 64 << 20 };

const RETRY_SECONDS = 5;
/** Smaller answers are bounded by the number of connections. */
const SMALL_BYTES = 64 * 1024;
/** What is sent in pieces holds a piece as it is read, as text, and in the socket. */
export const STREAM_BYTES = 1 << 20;
/** A stream of events holds little while nothing happens: a socket, and what its reader is to be told next. */
export const EVENTS_BYTES = 16 * 1024;
/** How often a stream of events that has something long to tell looks whether there is room. */
const ROOM_LOOK_MS = 250;
/** What is written while it is sent also takes the processor: so one caller has eight at once, and all have 32. */
const WRITTEN_BYTES = 2 << 20;
/** Files come in pieces of 64 KiB. */
const FILE_BYTES = 128 * 1024;
export const EVENT_STREAM = 'text/event-stream';
const SENT_AS_FILES = /^\/(?:files|docs|console)\//;

export type AnswerBudget = ReturnType<typeof createAnswerBudget>;
/** What one answer holds, from when it is read until it is sent or cut. */
export type Holding = ReturnType<AnswerBudget['open']>;

/**
 * Counts what large answers hold, and refuses more before it is read: whoever asks for many and takes none would otherwise
 * fill the memory (20 of 14 MB each were 1 GB). An answer alone may be of any size.
 */
export function createAnswerBudget({ perCallerBytes, inAllBytes }: AnswerBudgetOptions) {
  const heldBy = new Map<string, number>();
  let inAll = 0;
  return {
    /** @param caller who shares the limit of one */
    open(caller: string) {
      let held = 0;
      let isOpen = true;
      /** @throws ApiError `answers_unread` when the caller's answers hold too much, `unavailable` when all together do */
      const grow = (bytes: number): void => {
        // Whoever has left needs no answer, and nobody would give back what it holds. It is no fault of ours.
        if (!isOpen) throw refusal('answers_unread', 'The connection is closed.');
        const own = heldBy.get(caller) ?? 0;
        if (own > held && own + bytes > perCallerBytes) {
          throw refusal('answers_unread', 'Too many large answers were asked for and not read yet.');
        }
        if (inAll > held && inAll + bytes > inAllBytes) {
          throw refusal('unavailable', 'Too many large answers are on their way. Try again soon.');
        }
        held += bytes;
        inAll += bytes;
        heldBy.set(caller, own + bytes);
      };
      return {
        /** Adds to what is held. */
        add: grow,
        /** Raises what is held to that many bytes. */
        atLeast(bytes: number): void {
          if (bytes > held) grow(bytes - held);
        },
        /** Lowers what is held to that many bytes. */
        shrinkTo(bytes: number): void {
          const surplus = Math.max(0, held - bytes);
          held -= surplus;
          inAll -= surplus;
          if (surplus > 0) heldBy.set(caller, (heldBy.get(caller) ?? 0) - surplus);
        },
        release(): void {
          isOpen = false;
          inAll -= held;
          const left = (heldBy.get(caller) ?? 0) - held;
          if (left > 0) heldBy.set(caller, left);
          else heldBy.delete(caller);
          held = 0;
        },
      };
    },
  };
}

function refusal(code: 'answers_unread' | 'unavailable', message: string): ApiError {
  return new ApiError(code, message, { retryAfterSeconds: RETRY_SECONDS });
}

/** By event: streams of events hold more for some time. */
const holdings = new WeakMap<H3Event, Holding>();

/** @returns what the answer to a request holds */
export function holdingOf(event: H3Event): Holding | undefined {
  return holdings.get(event);
}

/**
 * Takes a place for a stream of events. While it is idle it holds little; it is taken only where there is room for what may
 * follow, so that one stream at least can go on when all others are idle.
 *
 * @throws ApiError as {@link createAnswerBudget} tells
 */
export function holdEvents(holding: Holding): void {
  holding.atLeast(STREAM_BYTES);
  holding.shrinkTo(EVENTS_BYTES);
}

/**
 * Waits until a stream of events may hold what its next event takes.
 *
 * @param left aborted when the reader has left; the wait fails then
 */
export async function roomFor(holding: Holding, bytes: number, left: AbortSignal): Promise<void> {
  for (;;) {
    try {
      holding.atLeast(bytes);
      return;
    } catch (error) {
      if (left.aborted || !(error instanceof ApiError)) throw error;
    }
    await delay(ROOM_LOOK_MS, undefined, { signal: left });
  }
}

/** Counts what each answer holds until it is sent or cut, and refuses those for which there is no room. */
export function meterAnswers(budget: AnswerBudget): Middleware {
  return async (event, next) => {
    const holding = budget.open(sharerOf(event));
    holdings.set(event, holding);
    releaseAtClose(event.runtime?.node?.res as ServerResponse | undefined, holding);
    if (SENT_AS_FILES.test(event.url.pathname)) holding.atLeast(FILE_BYTES);
    const answer = await next();
    if (answer instanceof HTTPResponse) await weigh(answer, holding);
    return answer;
  };
}

/** Gives back what an answer held when its connection has taken all of it, or is gone. */
export function releaseAtClose(response: ServerResponse | undefined, holding: Holding): void {
  if (response === undefined || response.closed) holding.release();
  else response.once('close', () => holding.release());
}

async function weigh({ body, headers }: HTTPResponse, holding: Holding): Promise<void> {
  if (typeof body === 'string') {
    const bytes = Buffer.byteLength(body);
    if (bytes > SMALL_BYTES) holding.atLeast(bytes);
  } else if (body instanceof ReadableStream) {
    try {
      if (headers.get('content-type') === EVENT_STREAM) holdEvents(holding);
      else holding.atLeast(headers.has('content-disposition') ? WRITTEN_BYTES : STREAM_BYTES);
    } catch (error) {
      await body.cancel();
      throw error;
    }
  }
}
