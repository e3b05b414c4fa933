import { HTTPResponse, type H3Event } from 'h3';
import type { Logger } from 'pino';
import { POLL_INTERVAL_SECONDS } from '../contract/limits.ts';
import { holdsStream, jsonChunks } from '../contract/streams.ts';
import type { Answer } from './answer.ts';
import { paced } from './paced.ts';
import { preferredWaitMs } from './request.ts';

const STATUS = { finished: 200, pending: 202, unavailable: 503 } as const;

/** @returns a function that dresses a use case's answer for REST. One that holds a stream is written out as it is read. */
export function createResponder(log: Logger): (event: H3Event, answer: Answer<unknown>) => HTTPResponse {
  return (event, { body, state, pollSeconds }) => {
    const waitMs = preferredWaitMs(event) ?? 0;
    const onCut = (error: unknown): void => {
      log.error({ err: error, method: event.req.method, path: event.url.pathname }, 'an answer was cut short');
    };
    return new HTTPResponse(holdsStream(body) ? streamed(paced(jsonChunks(body)), onCut) : JSON.stringify(body), {
      status: STATUS[state],
      headers: {
        'Content-Type': 'application/json',
        'Cache-Control': 'no-store',
        ...(state === 'finished' ? {} : { 'Retry-After': String(pollSeconds ?? POLL_INTERVAL_SECONDS) }),
        ...(waitMs > 0 ? { 'Preference-Applied': `wait=${String(waitMs / 1000)}` } : {}),
      },
    });
  };
}

/** An error while it is read cuts the connection: half a list must not look like a whole one. */
export function streamed(chunks: AsyncGenerator<string>, onCut: (error: unknown) => void): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  let hasLeft = false;
  return new ReadableStream({
    async pull(controller) {
      try {
        const chunk = await chunks.next();
        if (hasLeft) return;
        if (chunk.done === true) controller.close();
        else controller.enqueue(encoder.encode(chunk.value));
      } catch (error) {
        onCut(error);
        throw error;
      }
    },
    async cancel() {
      hasLeft = true;
      await chunks.return(undefined);
    },
  });
}
