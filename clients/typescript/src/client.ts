import { errorOf, retryAfterOf } from './client-errors.ts';
import { readEvents } from './follow-events.ts';
import { createClient as createGenerated, createConfig, type Client } from './generated/client/index.ts';
import { pause } from './pause.ts';

export interface ClientOptions {
  /** The base address of the service, such as https://tapedeck.example. */
  readonly url: string;
  /** An API key. A service that allows anonymous callers needs none. */
  readonly key?: string | undefined;
  /** The function that sends requests. Default: the platform's `fetch`. */
  readonly fetch?: typeof globalThis.fetch | undefined;
  /** How often a request is repeated after 429 or 503. Default: 4. */
  readonly retries?: number | undefined;
  /** Called before a request is repeated, with the seconds until then. */
  readonly onPause?: ((seconds: number) => void) | undefined;
}

/** The service never sends a longer `Retry-After` for its own limits. */
const LONGEST_PAUSE_SECONDS = 120;

/** @returns the client that every operation takes as `client` */
export function createClient({ url, key, fetch = globalThis.fetch, retries = 4, onPause }: ClientOptions): Client {
  const client = createGenerated(
    createConfig({
      baseUrl: url.replace(/(?<!\/)\/+$/, ''),
      fetch: withRetries(fetch, retries, onPause),
      throwOnError: true,
      ...(key === undefined ? {} : { auth: key }),
    }),
  );
  client.interceptors.error.use((thrown, response, request) => errorOf(thrown, response, request?.signal));
  // The generated reader of event streams takes quadratic time. All event streams of the service are requested with GET.
  return {
    ...client,
    sse: { ...client.sse, get: (options) => Promise.resolve({ stream: readEvents(client, options) }) },
  };
}

/**
 * Repeats requests that the service answered with `Retry-After`. A request refused with 429 had no effect. After a 503 only
 * reading requests are repeated, because others may have had an effect.
 */
function withRetries(
  fetch: typeof globalThis.fetch,
  retries: number,
  onPause: ClientOptions['onPause'],
): typeof globalThis.fetch {
  return async (input, init) => {
    const request = new Request(input, init);
    for (let sent = 0; ; sent++) {
      const response = await fetch(request.clone());
      const isRetryable = response.status === 429 || (response.status === 503 && request.method === 'GET');
      const seconds = retryAfterOf(response);
      if (!isRetryable || seconds === undefined || seconds > LONGEST_PAUSE_SECONDS || sent >= retries) return response;
      await response.body?.cancel();
      onPause?.(seconds);
      await pause(seconds * 1000, request.signal);
    }
  };
}
