import { HTTPResponse, type H3Event } from 'h3';
import type { Logger } from 'pino';
import { ERROR_TABLE } from '../../contract/http/api-error.ts';
import { originalStatusOf } from '../../contract/failures.ts';
import { POLL_INTERVAL_SECONDS } from '../../contract/request-limits.ts';
import { holdsStream, jsonChunks } from '../../contract/http/streams.ts';
import type { ServiceDeps } from '../service-deps.ts';
import { rateLimitKeyOf, refuseRevoked } from '../access/access-middleware.ts';
import { EVENT_STREAM } from '../edge/answer-budget.ts';
import { eventStream, type EventStreamOptions } from '../edge/event-stream.ts';
import { toApiError } from './to-api-error.ts';
import type { Answer, AnyAnswer, EventsAnswer, ExportedFile, ExportedText } from '../operations/operation.ts';
import { acceptsGzip, gzippedJson } from './gzip-answers.ts';
import { yieldingChunks } from './yielding-chunks.ts';
import { preferredWaitMs } from './read-request.ts';
import { requestIdOf } from './request-id.ts';

const STATUS = { finished: 200, pending: 202, unavailable: 503 } as const;

type RespondDeps = Pick<ServiceDeps, 'log' | 'stopping' | 'answerBudget'>;

export function respond(deps: RespondDeps, event: H3Event, answer: AnyAnswer): HTTPResponse {
  const onCut = (error: unknown): void => {
    deps.log.error({ err: error, method: event.req.method, path: loggedPath(event) }, 'an answer was cut short');
  };
  if ('body' in answer) return jsonOf(event, answer, onCut);
  if ('events' in answer) return eventsOf(event, answer, { ...deps, onCut });
  return fileOf(event, answer, onCut);
}

type OnCut = (error: unknown) => void;

function jsonOf(event: H3Event, { body, state, failure, pollSeconds }: Answer<unknown>, onCut: OnCut): HTTPResponse {
  const waitMs = preferredWaitMs(event) ?? 0;
  const isLong = holdsStream(body);
  const isGzip = isLong && acceptsGzip(event.req.headers.get('accept-encoding'));
  const chunks = isGzip ? gzippedJson(body) : yieldingChunks(jsonChunks(body));
  return new HTTPResponse(isLong ? streamed(chunks, onCut) : JSON.stringify(body), {
    status: failure === undefined ? STATUS[state] : originalStatusOf(failure),
    headers: {
      'Content-Type': 'application/json',
      'Cache-Control': 'no-store',
      ...(isLong ? { Vary: 'Accept-Encoding' } : {}),
      ...(isGzip ? { 'Content-Encoding': 'gzip' } : {}),
      ...(state === 'finished' ? {} : { 'Retry-After': String(pollSeconds ?? POLL_INTERVAL_SECONDS) }),
      ...(waitMs > 0 ? { 'Preference-Applied': `wait=${String(waitMs / 1000)}` } : {}),
    },
  });
}

function fileOf(event: H3Event, answer: ExportedText | ExportedFile, onCut: OnCut): HTTPResponse {
  const { open, contentType, name } = answer;
  // A HEAD request needs no contents.
  return new HTTPResponse(event.req.method === 'HEAD' ? null : streamed(open(), onCut), {
    headers: {
      'Content-Type': 'isBinary' in answer ? contentType : `${contentType}; charset=utf-8`,
      'Content-Disposition': `attachment; filename="${name}"`,
    },
  });
}

function eventsOf(
  event: H3Event,
  { events }: EventsAnswer<unknown>,
  { stopping, answerBudget, onCut }: RespondDeps & { readonly onCut: OnCut },
): HTTPResponse {
  // Status 204 stops the reconnection of a browser that has received the end.
  if (events === undefined) return new HTTPResponse(null, { status: 204 });
  const options: EventStreamOptions = {
    stopping,
    onCut,
    isStillAuthorized: () =>
      refuseRevoked(event).then(
        () => true,
        () => false,
      ),
    waitForRoom: (bytes, left) => answerBudget.waitForRoom(rateLimitKeyOf(event), bytes, left),
  };
  return new HTTPResponse(event.req.method === 'HEAD' ? null : eventStream(events, options), {
    headers: {
      'Content-Type': EVENT_STREAM,
      'Cache-Control': 'no-store',
      // A connection that is kept alive would outlive a stream that ends because the process stops.
      Connection: 'close',
      // Proxies such as nginx would buffer events.
      'X-Accel-Buffering': 'no',
    },
  });
}

/** Converts a thrown value into an HTTP response; internal errors are logged with their cause. */
export function errorResponse(log: Logger, thrown: unknown, event: H3Event): HTTPResponse {
  const error = toApiError(thrown);
  const status = ERROR_TABLE[error.code].http;
  if (status >= 500) {
    const request = { requestId: requestIdOf(event), method: event.req.method, path: loggedPath(event) };
    log.error({ err: error.cause ?? error, ...request }, error.message);
  }
  const { retryAfterSeconds } = error.extras;
  return new HTTPResponse(JSON.stringify(error.toBody()), {
    status,
    headers: {
      'Content-Type': 'application/json',
      'Cache-Control': 'no-store',
      ...error.extras.headers,
      ...(retryAfterSeconds === undefined ? {} : { 'Retry-After': String(retryAfterSeconds) }),
    },
  });
}

/** The path without the token of a feed, which is a secret. */
function loggedPath({ url }: H3Event): string {
  return url.pathname.replace(/^\/feeds\/[^/]+/, '/feeds/…');
}

/** An error during reading closes the connection, so that an incomplete list does not look complete. */
function streamed(chunks: AsyncGenerator<string | Uint8Array>, onCut: OnCut): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  const encoded = async function* (): AsyncGenerator<Uint8Array> {
    try {
      for await (const chunk of chunks) yield typeof chunk === 'string' ? encoder.encode(chunk) : chunk;
    } catch (error) {
      onCut(error);
      throw error;
    }
  };
  return ReadableStream.from(encoded());
}
