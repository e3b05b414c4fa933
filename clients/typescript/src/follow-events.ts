import { TapedeckError } from './client-errors.ts';
import { textsOf } from './event-parser.ts';
import type { Client } from './generated/client/index.ts';
import type { DownloadResult, JobResult } from './generated/types.gen.ts';
import { pause } from './pause.ts';

export interface FollowOptions {
  readonly signal?: AbortSignal | undefined;
}

const LONGEST_PAUSE_MS = 15_000;
/** The retries take about two minutes in all; a service restarts within that time. */
const FAILURES_IN_A_ROW = 12;

/**
 * Yields the state of a job whenever it changes, and its result last. A lost connection is replaced by a new one that
 * continues after the last event.
 *
 * @throws TapedeckError
 */
export function followEvents(client: Client, id: string, options: FollowOptions = {}): AsyncGenerator<JobResult, void> {
  const url = `/api/downloads/${encodeURIComponent(id)}/events`;
  return followed<JobResult>(client, url, options);
}

/**
 * Yields the record of each download of the caller that runs, starts, changes or ends. The sequence has no end.
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
    // The first retry after a stream with events is immediate: the stream may have ended because the job did.
    if (failures > 0) await pause(Math.min(500 * 2 ** failures, LONGEST_PAUSE_MS), signal);
    failures += 1;
    try {
      const stream = await opened(client, url, { lastEventId, signal });
      // The stream has no further events.
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

/** @returns null if the caller has received all events */
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

/** Whether a retry may succeed. Every platform reports a stream that was cut off as a TypeError. */
function passes(error: unknown): boolean {
  if (!(error instanceof TapedeckError)) return error instanceof TypeError;
  const { code, status } = error;
  if (status === undefined) return code === 'unreachable';
  return status >= 500 || status === 408 || status === 429;
}
