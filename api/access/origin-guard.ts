import { ApiError } from '../../contract/http/api-error.ts';
import { isLoopbackHost } from '../../outbound/loopback.ts';

/** The parts of a request that a browser fills in and a page cannot change. */
export interface BrowserFacts {
  readonly method: string;
  readonly headers: Pick<Headers, 'get'>;
}

export interface OriginGuardOptions {
  /** Whether the service listens on loopback only. */
  readonly isLoopback: boolean;
  readonly publicUrl: string;
  /** Whether what is asked for is for people to look at, and links from elsewhere may lead to it. */
  readonly isDocument?: boolean;
}

/**
 * Refuses what a page from elsewhere makes a browser send. A service on loopback lets in who is on the machine, and any page
 * that is open there can send requests to it: by a form, an image or a script (the browser then tells where the page is
 * from), or under a name of the page's own that is made to lead to 127.0.0.1 (DNS rebinding: only the Host header shows
 * that). Programs send neither of the two. What only reads is refused as well: it starts work, and its time tells things.
 *
 * @throws ApiError `forbidden`
 */
export function refuseForeignPages({ method, headers }: BrowserFacts, options: OriginGuardOptions): void {
  const { isLoopback, publicUrl, isDocument = false } = options;
  const host = headers.get('host');
  if (isLoopback && host !== null && !isOwnName(host, publicUrl)) {
    throw new ApiError('forbidden', `The service does not answer to the name ${host}: set PUBLIC_URL if it should.`);
  }
  if (isDocument && isNavigation({ method, headers })) return;
  const site = headers.get('sec-fetch-site');
  const origin = headers.get('origin');
  const isOwn = origin !== null && isOwnOrigin(origin, host, publicUrl);
  // Another port of this machine is the same site. A browser tells the origin with some requests only, the site with all.
  if (site === 'cross-site' || (site === 'same-site' && !isOwn) || (origin !== null && !isOwn)) {
    throw new ApiError('forbidden', 'Requests from pages of other sites are refused.');
  }
}

/** Somebody follows a link: the document is shown to them, and the page that had the link learns nothing of it. */
function isNavigation({ method, headers }: BrowserFacts): boolean {
  if (method !== 'GET' || headers.get('origin') !== null) return false;
  return headers.get('sec-fetch-mode') === 'navigate' && headers.get('sec-fetch-dest') === 'document';
}

/** Whether a `Host` header names loopback. */
export function isLoopbackName(host: string): boolean {
  const name = hostname(`http://${host}`);
  // With any port: what is reached by an address was not looked up by a name.
  return name !== undefined && isLoopbackHost(name);
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
