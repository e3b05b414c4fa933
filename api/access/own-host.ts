import { isIPv4 } from 'node:net';
import { ApiError } from '../../contract/errors.ts';

/** The parts of a request that a browser fills in and a page cannot change. */
export interface BrowserFacts {
  readonly method: string;
  readonly headers: Pick<Headers, 'get'>;
}

export interface OwnHostOptions {
  /** Whether the service listens on loopback only. */
  readonly isLoopback: boolean;
  readonly publicUrl: string;
}

/**
 * Refuses what a page from elsewhere makes a browser send. A service on loopback lets in who is on the machine, and any page
 * that is open there can send requests to it:
 * by a form (the browser then tells the page's origin), or under a name of the page's own that is made to lead to 127.0.0.1
 * (DNS rebinding: only the Host header shows that). Programs send neither of the two.
 *
 * @throws ApiError `forbidden`
 */
export function refuseForeignPages({ method, headers }: BrowserFacts, { isLoopback, publicUrl }: OwnHostOptions): void {
  const host = headers.get('host');
  if (isLoopback && host !== null && !isOwnName(host, publicUrl)) {
    throw new ApiError('forbidden', `The service does not answer to the name ${host}: set PUBLIC_URL if it should.`);
  }
  if (['GET', 'HEAD', 'OPTIONS'].includes(method)) return;
  const origin = headers.get('origin');
  const isForeign =
    headers.get('sec-fetch-site') === 'cross-site' || (origin !== null && !isOwnOrigin(origin, host, publicUrl));
  if (isForeign) throw new ApiError('forbidden', 'Requests from pages of other sites are refused.');
}

/** Whether a `Host` header names loopback. */
export function isLoopbackName(host: string): boolean {
  const name = hostname(`http://${host}`);
  // Any 127.x.y.z and any port: what is reached by an address was not looked up by a name.
  return name === 'localhost' || name === '[::1]' || (name !== undefined && isIPv4(name) && name.startsWith('127.'));
}

function isOwnName(host: string, publicUrl: string): boolean {
  if (isLoopbackName(host)) return true;
  const name = hostname(`http://${host}`);
  return name !== undefined && name === hostname(publicUrl);
}

function isOwnOrigin(origin: string, host: string | null, publicUrl: string): boolean {
  // `null` of sandboxed pages is no URL, and so foreign.
  if (!URL.canParse(origin)) return false;
  return new URL(origin).host === host || origin === new URL(publicUrl).origin;
}

function hostname(url: string): string | undefined {
  return URL.canParse(url) ? new URL(url).hostname : undefined;
}
