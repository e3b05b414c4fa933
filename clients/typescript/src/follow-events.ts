import { TapedeckError } from './client-errors.ts';
import { textsOf } from './event-parser.ts';
import type { Client } from './generated/client/index.ts';
import type { DownloadResult, JobResult } from './generated/types.gen.ts';
import { pause } from './pause.ts';

export interface FollowOptions {
  readonly signal?: AbortSignal | undefined;
}

const LONGEST_PAUSE_MS = 15_000;
/** About two minutes: a service that restarts takes less. */
const FAILURES_IN_A_ROW = 12;

/**
 * How a job stands, whenever that changes, and its end last. A connection that is lost is made anew, and goes on where the
 * other ended.
 *
 * @throws TapedeckError
 */
export function followEvents(client: Client, id: string, options: FollowOptions = {}): AsyncGenerator<JobResult, void> {
  const url = `/api/downloads/${encodeURIComponent(id)}/events`;
  return followed<JobResult>(client, url, options);
}

/**
 * The record of each of a caller's downloads that runs, begins, changes or ends, without an end.
 *
 * @throws TapedeckError
 */
export function followAllEvents(client: Client, options: FollowOptions = {}): AsyncGenerator<DownloadResult, void> {
  return followed<DownloadResult>(client, '/api/downloads/events', options);
}

async function* followed<Body>(client: Client, url: string, { signal }: FollowOptions): AsyncGenerator<Body, void> {
  let lastEventId: string | undefined;
  const onId = (id: string): void => {
    lastEventId = id;
  };
  for (let failures = 0; ;) {
    // At once after a stream that told something: it may have ended with its job.
    if (failures > 0) await pause(Math.min(500 * 2 ** failures, LONGEST_PAUSE_MS), signal);
    failures += 1;
    try {
      const stream = await opened(client, url, { lastEventId, signal });
      // There is no more to tell.
      if (stream === null) return;
      for await (const data of textsOf(stream, onId)) {
        failures = 0;
        yield JSON.parse(data) as Body;
      }
    } catch (error) {
      signal?.throwIfAborted();
      if (!passes(error) || failures > FAILURES_IN_A_ROW) throw error;
    }
  }
}

interface Opening extends FollowOptions {
  readonly lastEventId: string | undefined;
}

/** @returns null where the caller was told everything before */
function opened(
  client: Client,
  url: string,
  { lastEventId, signal }: Opening,
): Promise<ReadableStream<Uint8Array> | null> {
  const accept = { Accept: 'text/event-stream' };
  return client.get<ReadableStream<Uint8Array> | null, unknown, true, 'data'>({
    url,
    headers: lastEventId === undefined ? accept : { ...accept, 'Last-Event-ID': lastEventId },
    ...(signal === undefined ? {} : { signal }),
    ...{ security: [{ scheme: 'bearer', type: 'http' }], parseAs: 'stream', responseStyle: 'data' },
  });
}

/** Whether a later try may go well. A stream that is cut is a TypeError in every platform. */
function passes(error: unknown): boolean {
  if (!(error instanceof TapedeckError)) return error instanceof TypeError;
  const { code, status } = error;
  if (status === undefined) return code === 'unreachable';
  return status >= 500 || status === 408 || status === 429;
}
