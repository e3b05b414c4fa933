import type { ServerResponse } from 'node:http';
import { HTTPResponse, type Middleware } from 'h3';
import { sharerOf } from '../access/gate.ts';
import type { AnswerBudget, Holding } from './answer-budget.ts';

/** Smaller answers are bounded by the number of connections. */
const SMALL_BYTES = 64 * 1024;
/** What is sent in pieces holds a piece as it is read, as text, and in the socket. */
export const STREAM_BYTES = 1 << 20;
/** What is written while it is sent also takes the processor: so one caller has eight at once, and all have 32. */
const WRITTEN_BYTES = 2 << 20;
/** Files come in pieces of 64 KiB. */
const FILE_BYTES = 128 * 1024;
const SENT_AS_FILES = /^\/(?:files|docs)\//;

/** Counts what each answer holds until it is sent or cut, and refuses those for which there is no room. */
export function meterAnswers(budget: AnswerBudget): Middleware {
  return async (event, next) => {
    const holding = budget.open(sharerOf(event));
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
      holding.atLeast(headers.has('content-disposition') ? WRITTEN_BYTES : STREAM_BYTES);
    } catch (error) {
      await body.cancel();
      throw error;
    }
  }
}
