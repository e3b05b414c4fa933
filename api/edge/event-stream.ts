import { setTimeout as delay } from 'node:timers/promises';
import { holdsStream, jsonChunks } from '../../contract/streams.ts';
import type { EventsAnswer, ToldEvent } from '../operation.ts';
import { paced } from '../paced.ts';
import { EVENTS_BYTES, roomFor, STREAM_BYTES, type Holding } from './answer-budget.ts';

/** How soon a reader whose connection was lost comes again, in milliseconds. */
const RETRY_MS = 2_000;
/** Proxies end connections on which nothing comes for a minute. */
const HEARTBEAT_MS = 15_000;
/** How long a key that was revoked may still read. */
const LET_IN_AGAIN_MS = 30_000;

export interface EventStreamOptions {
  /** Aborted when the process is about to stop. */
  readonly stopping: AbortSignal;
  /** What the answer holds; absent where nobody counts. */
  readonly holding: Holding | undefined;
  /** Whether the reader would still be let in. */
  readonly isLetIn: () => Promise<boolean>;
  /** Told of what ends the stream before its time. */
  readonly onCut: (error: unknown) => void;
  readonly heartbeatMs?: number;
}
type Events = NonNullable<EventsAnswer<unknown>['events']>;

/**
 * Server-sent events (WHATWG HTML, section 9.2). Each is made when there is room for it in the connection, so a slow reader
 * makes nobody hold what it has not taken. Nothing is begun for whoever is refused before it reads.
 */
export function eventStream(events: Events, options: EventStreamOptions): ReadableStream<Uint8Array> {
  const left = new AbortController();
  const chunks = written(events, left, options);
  return ReadableStream.from({
    [Symbol.asyncIterator]: () => ({
      next: () => chunks.next(),
      return() {
        // What waits for the next event holds up the end of the generator.
        left.abort();
        return chunks.return();
      },
    }),
  });
}

async function* written(
  events: Events,
  left: AbortController,
  { stopping, holding, isLetIn, onCut, heartbeatMs = HEARTBEAT_MS }: EventStreamOptions,
): AsyncGenerator<Uint8Array, void, void> {
  const encoder = new TextEncoder();
  const { told, from } = events(left.signal);
  const timer = setInterval(() => {
    void isLetIn().then((isIn) => {
      if (!isIn) left.abort();
    });
  }, LET_IN_AGAIN_MS).unref();
  try {
    yield encoder.encode(`retry: ${String(RETRY_MS)}\n${from === undefined ? '' : `id: ${from}\n`}\n`);
    for (let coming = told.next(); ;) {
      const met = await within(heartbeatMs, coming);
      if (met?.done === true) return;
      if (met === undefined) {
        yield encoder.encode(':\n\n');
        continue;
      }
      const { body } = met.value;
      const text = holdsStream(body) ? undefined : JSON.stringify(body);
      if (holding !== undefined) {
        await roomFor(holding, text === undefined ? STREAM_BYTES : Buffer.byteLength(text), left.signal);
      }
      for await (const chunk of eventOf(met.value, text)) yield encoder.encode(chunk);
      // Whoever asks for the next one has taken this.
      holding?.shrinkTo(EVENTS_BYTES);
      coming = told.next();
    }
  } catch (error) {
    if (stopping.aborted || left.signal.aborted) return;
    onCut(error);
    throw error;
  } finally {
    clearInterval(timer);
    left.abort();
    await told.return(undefined);
  }
}

/** @param text of the body, where it is short */
async function* eventOf({ id, body }: ToldEvent<unknown>, text: string | undefined): AsyncGenerator<string> {
  if (text !== undefined) {
    yield `data: ${text}\nid: ${id}\n\n`;
    return;
  }
  yield 'data: ';
  yield* paced(jsonChunks(body));
  yield `\nid: ${id}\n\n`;
}

/** @returns undefined when that takes longer */
async function within<Result>(ms: number, coming: Promise<Result>): Promise<Result | undefined> {
  const timer = new AbortController();
  const late = delay(ms, undefined, { signal: timer.signal, ref: false }).catch(() => undefined);
  try {
    return await Promise.race([coming, late]);
  } finally {
    timer.abort();
  }
}
