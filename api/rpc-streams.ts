import { randomUUID } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Logger } from 'pino';
import { holdsStream, jsonChunks, type Streamable } from '../contract/streams.ts';
import { paced } from './paced.ts';

/** What the procedures of one request answer with and do not hold. */
export type RpcStreams = ReturnType<typeof createRpcStreams>;

interface RpcStreamsOptions {
  readonly log: Logger;
  /** Called before each; may throw to refuse it. */
  readonly onStream: () => void;
}

/**
 * tRPC writes a whole answer in one call of `JSON.stringify`. So a result with streams is replaced by a mark, and when tRPC has
 * written the text around it, the result is written out in its place, as fast as it is read. Callers see the JSON that they
 * would see otherwise.
 */
export function createRpcStreams(response: ServerResponse, { log, onStream }: RpcStreamsOptions) {
  const held = new Map<string, unknown>();
  return {
    /** @returns what stands for the body until the answer is written; the body itself when it holds no stream */
    hold<Result>(body: Streamable<Result>): Result {
      if (!holdsStream(body)) return body as Result;
      onStream();
      if (held.size === 0) replaceMarks(response, { held, log });
      const mark = randomUUID();
      held.set(JSON.stringify(mark), body);
      return mark as Result;
    },
  };
}

/** As middleware for compression does it: what tRPC writes is kept, and written at its end. */
function replaceMarks(
  response: ServerResponse,
  { held, log }: { readonly held: ReadonlyMap<string, unknown>; readonly log: Logger },
): void {
  const written: Uint8Array[] = [];
  const own = { write: response.write.bind(response), end: response.end.bind(response) };
  response.write = (chunk: Uint8Array): boolean => {
    written.push(chunk);
    return true;
  };
  response.end = () => {
    Object.assign(response, own);
    const text = Buffer.concat(written).toString('utf8');
    // An error while it is read cuts the connection: half a list must not look like a whole one.
    pipeline(Readable.from(paced(spliced(text, held))), response).catch((error: unknown) => {
      if (!isLeaving(error)) log.error({ err: error }, 'an answer over tRPC was cut short');
    });
    return response;
  };
}

async function* spliced(text: string, held: ReadonlyMap<string, unknown>): AsyncGenerator<string> {
  let rest = text;
  // Ids of our own making, each once, in the order in which the procedures of a batch answered.
  const places = [...held].map(([mark, body]) => ({ mark, body, at: text.indexOf(mark) }));
  for (const { mark, body } of places.filter(({ at }) => at >= 0).sort((a, b) => a.at - b.at)) {
    const at = rest.indexOf(mark);
    yield rest.slice(0, at);
    yield* jsonChunks(body);
    rest = rest.slice(at + mark.length);
  }
  yield rest;
}

function isLeaving(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ERR_STREAM_PREMATURE_CLOSE';
}
