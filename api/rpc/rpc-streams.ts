import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Logger } from 'pino';
import { holdsStream, jsonChunks, type Streamable } from '../../contract/http/streams.ts';
import { releaseAtClose, STREAM_BYTES, type AnswerBudget, type Release } from '../edge/answer-budget.ts';
import { yieldingChunks } from '../http/yielding-chunks.ts';

export type RpcStreams = ReturnType<typeof createRpcStreams>;

interface RpcStreamsOptions {
  readonly log: Logger;
  readonly answerBudget: AnswerBudget;
  readonly caller: string;
}
type Held = Map<string, unknown>;

/**
 * tRPC writes an answer in one call of `JSON.stringify`. A result with streams is therefore replaced by a placeholder. When tRPC
 * has written the text around it, the result is streamed instead of the placeholder. Callers see the same JSON.
 */
export function createRpcStreams(response: ServerResponse, { log, answerBudget, caller }: RpcStreamsOptions) {
  const held: Held = new Map();
  let releaseLast: Release | undefined;
  const placeholderFor = (body: object): unknown => {
    const placeholder = randomUUID();
    held.set(JSON.stringify(placeholder), body);
    return placeholder;
  };
  return {
    /** @returns the placeholder of the body; the body itself when it contains no stream */
    hold<Result>(body: Streamable<Result>): Result {
      if (!holdsStream(body)) return body as Result;
      releaseAtClose(response, answerBudget.hold(caller, STREAM_BYTES));
      if (held.size === 0) streamAnswer(response, { held, log });
      return placeholderFor(body) as Result;
    },
    beginEvents(): void {
      response.setHeader('Connection', 'close');
      response.once('close', () => releaseLast?.());
      streamEvents(response, { held, log });
    },
    /** Like `hold` for the next event, as soon as the budget allows it. It is released when the following event is held. */
    async holdNext<Result>(body: Streamable<Result>, left: AbortSignal): Promise<Result> {
      releaseLast?.();
      if (!holdsStream(body)) return body as Result;
      releaseLast = await answerBudget.waitForRoom(caller, STREAM_BYTES, left);
      if (response.closed) releaseLast();
      return placeholderFor(body) as Result;
    },
  };
}

interface StreamOptions {
  readonly held: Held;
  readonly log: Logger;
}

/** Buffers what tRPC writes and writes it at the end, like compression middleware. */
function streamAnswer(response: ServerResponse, { held, log }: StreamOptions): void {
  const written: Uint8Array[] = [];
  const own = { write: response.write.bind(response), end: response.end.bind(response) };
  response.write = (chunk: Uint8Array): boolean => {
    written.push(chunk);
    return true;
  };
  response.end = () => {
    Object.assign(response, own);
    const text = Buffer.concat(written).toString('utf8');
    // An error during reading closes the connection, so that an incomplete list does not look complete.
    pipeline(Readable.from(yieldingChunks(spliced(text, held))), response).catch((error: unknown) => {
      if (!isLeaving(error)) log.error({ err: error }, 'an answer over tRPC was cut short');
    });
    return response;
  };
}

/** Writes an event stream without buffering. tRPC waits for `drain` after each write. */
function streamEvents(response: ServerResponse, { held, log }: StreamOptions): void {
  const own = { write: response.write.bind(response), end: response.end.bind(response) };
  const gone = new AbortController();
  response.once('close', () => gone.abort());
  let lastWrite = Promise.resolve();
  const enqueue = (step: () => Promise<void> | void): void => {
    lastWrite = lastWrite.then(step).catch((error: unknown) => {
      if (!gone.signal.aborted) log.error({ err: error }, 'events over tRPC were cut short');
      response.destroy();
    });
  };
  response.write = (chunk: Uint8Array): boolean => {
    enqueue(async () => {
      for await (const text of yieldingChunks(spliced(Buffer.from(chunk).toString('utf8'), held))) {
        if (!own.write(text)) await once(response, 'drain', { signal: gone.signal });
      }
      response.emit('drain');
    });
    return false;
  };
  response.end = () => {
    enqueue(() => {
      own.end();
    });
    return response;
  };
}

async function* spliced(text: string, held: Held): AsyncGenerator<string | Uint8Array> {
  let rest = text;
  // Placeholders are unique, in the order in which the procedures of a batch answered.
  const found = [...held].map(([placeholder, body]) => ({ placeholder, body, at: text.indexOf(placeholder) }));
  for (const { placeholder, body } of found.filter(({ at }) => at >= 0).sort((a, b) => a.at - b.at)) {
    const at = rest.indexOf(placeholder);
    yield rest.slice(0, at);
    yield* jsonChunks(body);
    held.delete(placeholder);
    rest = rest.slice(at + placeholder.length);
  }
  yield rest;
}

function isLeaving(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ERR_STREAM_PREMATURE_CLOSE';
}
