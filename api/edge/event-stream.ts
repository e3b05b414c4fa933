import { setTimeout as delay } from 'node:timers/promises';
import { holdsStream, jsonChunks } from '../../contract/http/streams.ts';
import { KEY_KNOWN_MS } from '../access/authenticate.ts';
import type { EventsAnswer, StreamedEvent } from '../operations/operation.ts';
import { yieldingChunks } from '../http/yielding-chunks.ts';
import { SMALL_BYTES, STREAM_BYTES, type Release } from './answer-budget.ts';

const RETRY_MS = 2_000;
/** Proxies close connections without traffic after a minute. */
const HEARTBEAT_MS = 15_000;
export const LONGEST_STREAM_MS = 10 * 60_000;

export interface EventStreamOptions {
  readonly stopping: AbortSignal;
  readonly waitForRoom: (bytes: number, left: AbortSignal) => Promise<Release>;
  readonly isStillAuthorized: () => Promise<boolean>;
  readonly onCut: (error: unknown) => void;
  readonly heartbeatMs?: number;
  readonly longestMs?: number;
}
type Events = NonNullable<EventsAnswer<unknown>['events']>;

/**
 * Writes server-sent events (WHATWG HTML, section 9.2). An event is created when the connection has room for it, so that a slow
 * reader needs no memory. Nothing is started for a reader that is refused.
 */
export function eventStream(events: Events, options: EventStreamOptions): ReadableStream<Uint8Array> {
  const left = new AbortController();
  const chunks = written(events, left, options);
  return ReadableStream.from({
    [Symbol.asyncIterator]: () => ({
      next: () => chunks.next(),
      return() {
        // The generator cannot end while it waits for the next event.
        left.abort();
        return chunks.return();
      },
    }),
  });
}

async function* written(
  events: Events,
  left: AbortController,
  {
    stopping,
    waitForRoom,
    isStillAuthorized,
    onCut,
    heartbeatMs = HEARTBEAT_MS,
    longestMs = LONGEST_STREAM_MS,
  }: EventStreamOptions,
): AsyncGenerator<Uint8Array, void, void> {
  const encoder = new TextEncoder();
  const { stream, from } = events(left.signal);
  const revoked = new AbortController();
  const timer = setInterval(() => {
    void isStillAuthorized().then((isAuthorized) => {
      if (isAuthorized) return;
      revoked.abort();
      left.abort();
    });
  }, KEY_KNOWN_MS).unref();
  const end = setTimeout(() => left.abort(), longestMs).unref();
  try {
    yield encoder.encode(`retry: ${String(RETRY_MS)}\n${from === undefined ? '' : `id: ${from}\n`}\n`);
    for (let next = stream.next(); ;) {
      const result = await within(heartbeatMs, next);
      if (result?.done === true) return;
      if (result === undefined) {
        yield encoder.encode(':\n\n');
        continue;
      }
      const { body } = result.value;
      const text = holdsStream(body) ? undefined : JSON.stringify(body);
      const bytes = text === undefined ? STREAM_BYTES : Buffer.byteLength(text);
      const release = bytes > SMALL_BYTES ? await waitForRoom(bytes, left.signal) : undefined;
      try {
        for await (const chunk of eventOf(result.value, text)) {
          if (revoked.signal.aborted) return;
          yield typeof chunk === 'string' ? encoder.encode(chunk) : chunk;
        }
      } finally {
        release?.();
      }
      next = stream.next();
    }
  } catch (error) {
    if (stopping.aborted || left.signal.aborted) return;
    onCut(error);
    throw error;
  } finally {
    clearInterval(timer);
    clearTimeout(end);
    left.abort();
    await stream.return(undefined);
  }
}

async function* eventOf(
  { id, body }: StreamedEvent<unknown>,
  text: string | undefined,
): AsyncGenerator<string | Uint8Array> {
  if (text !== undefined) {
    yield `data: ${text}\nid: ${id}\n\n`;
    return;
  }
  yield 'data: ';
  yield* yieldingChunks(jsonChunks(body));
  yield `\nid: ${id}\n\n`;
}

async function within<Result>(ms: number, coming: Promise<Result>): Promise<Result | undefined> {
  const timer = new AbortController();
  const late = delay(ms, undefined, { signal: timer.signal, ref: false }).catch(() => undefined);
  try {
    return await Promise.race([coming, late]);
  } finally {
    timer.abort();
  }
}
