import { failureOf, isFailed, TapedeckError } from './client-errors.ts';
import { textsOf } from './event-parser.ts';
import { mergeHeaders, type Client, type RequestOptions, type ResponseStyle } from './generated/client/index.ts';
import type { BatchEvent, DownloadResult, JobResult, Progress } from './generated/types.gen.ts';
import { pause } from './pause.ts';

export interface FollowOptions {
  readonly signal?: AbortSignal | undefined;
}

type EventRequest = Omit<RequestOptions<never, ResponseStyle>, 'method'>;

const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 15_000;
/** The retries take about two minutes in all; a service restarts within that time. */
const FAILURES_IN_A_ROW = 12;

/**
 * Yields the state of a job whenever it changes, and its result last. A lost connection is replaced by a new one that
 * continues after the last event.
 * @throws TapedeckError
 */
export function followEvents(client: Client, id: string, options: FollowOptions = {}): AsyncGenerator<JobResult, void> {
  return readEvents<JobResult>(client, requestOf(`/api/downloads/${encodeURIComponent(id)}/events`, options));
}

/** Yields the record of each download of the caller that runs, starts, changes or ends, without an end. @throws TapedeckError */
export function followAllEvents(client: Client, options: FollowOptions = {}): AsyncGenerator<DownloadResult, void> {
  return readEvents<DownloadResult>(client, requestOf('/api/downloads/events', options));
}

/** Yields a batch at each change, with the items that have ended since the event before, up to its end. @throws TapedeckError */
export function followBatchEvents(
  client: Client,
  id: string,
  options: FollowOptions = {},
): AsyncGenerator<BatchEvent, void> {
  return readEvents<BatchEvent>(client, requestOf(`/api/batches/${encodeURIComponent(id)}/events`, options));
}

function requestOf(url: string, { signal }: FollowOptions): EventRequest {
  return { url, security: [{ scheme: 'bearer', type: 'http' }], ...(signal === undefined ? {} : { signal }) };
}

/** Yields the data of each event of a stream, also over lost connections. @throws TapedeckError */
export async function* readEvents<Body>(
  client: Client,
  { onSseEvent, onSseError, ...request }: EventRequest,
): AsyncGenerator<Body, void> {
  const { signal, sseDefaultRetryDelay = FIRST_PAUSE_MS, sseMaxRetryDelay = LONGEST_PAUSE_MS } = request;
  const mostFailures = request.sseMaxRetryAttempts ?? FAILURES_IN_A_ROW;
  let lastEventId: string | undefined;
  const onId = (id: string): void => {
    lastEventId = id;
  };
  for (let failures = 0; ;) {
    // The first retry after a stream with events is immediate: the stream may have ended because the job did.
    if (failures > 0) {
      await pause(Math.min(sseDefaultRetryDelay * 2 ** (failures - 1), sseMaxRetryDelay), signal ?? undefined);
    }
    failures += 1;
    try {
      const accept = { Accept: 'text/event-stream', 'Last-Event-ID': lastEventId };
      const stream = await client.request<ReadableStream<Uint8Array> | null, unknown, true, 'data'>({
        ...request,
        ...{ method: 'GET', headers: mergeHeaders(request.headers, accept) },
        ...{ parseAs: 'stream', responseStyle: 'data', throwOnError: true },
      });
      // The stream has no further events.
      if (stream === null) return;
      for await (const text of textsOf(stream, onId)) {
        failures = 0;
        const data = JSON.parse(text) as Body;
        onSseEvent?.({ data: data as never });
        yield data;
      }
    } catch (error) {
      signal?.throwIfAborted();
      onSseError?.(error);
      if (!isTemporary(error) || failures > mostFailures) throw error;
    }
  }
}

/** Whether a retry may succeed. Every platform reports a stream that was cut off as a TypeError. */
function isTemporary(error: unknown): boolean {
  if (!(error instanceof TapedeckError)) return error instanceof TypeError;
  const { code, status } = error;
  if (status === undefined) return code === 'unreachable';
  return status >= 500 || status === 408 || status === 429;
}

export interface WaitOptions extends FollowOptions {
  /** Called with the progress of the job whenever it changes. */
  readonly onProgress?: ((progress: Progress) => void) | undefined;
}

/**
 * Waits until a job ends, without a time limit.
 * @param id the ID of the download
 * @returns the result of the job, as a webhook delivers it
 * @throws JobFailedError, TapedeckError
 */
export async function waitFor(
  client: Client,
  id: string,
  { signal, onProgress }: WaitOptions = {},
): Promise<JobResult> {
  let last: JobResult | undefined;
  for await (const result of followEvents(client, id, { signal })) {
    last = result;
    const progress = progressOf(result);
    if (progress !== undefined) onProgress?.(progress);
  }
  if (last === undefined) {
    throw new TapedeckError('The event stream ended without the state of the job.', { code: 'unexpected_answer' });
  }
  if (isFailed(last)) throw failureOf(last);
  return last;
}

/** Returns the progress of a running job; for a list, that of the posts first. */
function progressOf(result: JobResult): Progress | undefined {
  const summary = 'data' in result ? result.data : result;
  const progress = 'progress' in summary ? summary.progress : undefined;
  if (progress === undefined || 'stage' in progress) return progress;
  return progress.posts ?? progress.reels;
}
