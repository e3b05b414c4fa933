import { HTTPResponse, type H3Event } from 'h3';
import { POLL_INTERVAL_SECONDS } from '../contract/limits.ts';
import { holdsStream, jsonChunks } from '../contract/streams.ts';
import type { Answer } from './answer.ts';
import { preferredWaitMs } from './request.ts';

const STATUS = { finished: 200, pending: 202, unavailable: 503 } as const;

/** Dresses a use case's answer for REST. One that holds a stream is written out as it is read. */
export function respond(event: H3Event, answer: Answer<unknown>): HTTPResponse {
  const waitMs = preferredWaitMs(event) ?? 0;
  return new HTTPResponse(holdsStream(answer.body) ? streamed(answer.body) : JSON.stringify(answer.body), {
    status: STATUS[answer.state],
    headers: {
      'Content-Type': 'application/json',
      'Cache-Control': 'no-store',
      ...(answer.state === 'finished' ? {} : { 'Retry-After': String(answer.pollSeconds ?? POLL_INTERVAL_SECONDS) }),
      ...(waitMs > 0 ? { 'Preference-Applied': `wait=${String(waitMs / 1000)}` } : {}),
    },
  });
}

/** An error while it is read cuts the connection: half a list must not look like a whole one. */
function streamed(body: unknown): ReadableStream<Uint8Array> {
  const chunks = jsonChunks(body);
  const encoder = new TextEncoder();
  return new ReadableStream({
    async pull(controller) {
      const chunk = await chunks.next();
      if (chunk.done === true) controller.close();
      else controller.enqueue(encoder.encode(chunk.value));
    },
    async cancel() {
      await chunks.return(undefined);
    },
  });
}
