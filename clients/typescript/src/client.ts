import { errorOf, retryAfterOf } from './client-errors.ts';
import { createClient as createGenerated, createConfig, type Client } from './generated/client/index.ts';
import { pause } from './pause.ts';

export interface ClientOptions {
  /** Of the service, such as https://tapedeck.example */
  readonly url: string;
  /** An API key; a service for everyone needs none. */
  readonly key?: string | undefined;
  /** Sends the requests; by default the platform's own. */
  readonly fetch?: typeof globalThis.fetch | undefined;
  /** How often a request is sent again that the service put off, by default 4 times. */
  readonly retries?: number | undefined;
  /** Called before a request that the service put off is sent again, with the seconds until then. */
  readonly onPause?: ((seconds: number) => void) | undefined;
}

/** Longer than the service ever puts a request off for its own sake. */
const LONGEST_PAUSE_SECONDS = 120;

/** @returns what every operation takes as `client` */
export function createClient({ url, key, fetch = globalThis.fetch, retries = 4, onPause }: ClientOptions): Client {
  const client = createGenerated(
    createConfig({
      baseUrl: url.replace(/(?<!\/)\/+$/, ''),
      fetch: patient(fetch, retries, onPause),
      throwOnError: true,
      ...(key === undefined ? {} : { auth: key }),
    }),
  );
  client.interceptors.error.use((thrown, response, request) => errorOf(thrown, response, request?.signal));
  return client;
}

/**
 * Sends again what the service asks to send later. Whoever is told 429 has started nothing; after a 503 that is sure of
 * reading alone.
 */
function patient(
  fetch: typeof globalThis.fetch,
  retries: number,
  onPause: ClientOptions['onPause'],
): typeof globalThis.fetch {
  return async (input, init) => {
    const request = new Request(input, init);
    for (let sent = 0; ; sent++) {
      const response = await fetch(request.clone());
      const isPutOff = response.status === 429 || (response.status === 503 && request.method === 'GET');
      const seconds = retryAfterOf(response);
      if (!isPutOff || seconds === undefined || seconds > LONGEST_PAUSE_SECONDS || sent >= retries) return response;
      await response.body?.cancel();
      onPause?.(seconds);
      await pause(seconds * 1000, request.signal);
    }
  };
}
