import { ApiError } from '../../contract/http/api-error.ts';
import { isLoopbackHost } from '../../outbound/addresses.ts';

/** The parts of a request that a page cannot change. */
interface BrowserFacts {
  readonly method: string;
  readonly headers: Pick<Headers, 'get'>;
}

export interface OriginGuardOptions {
  readonly isLoopback: boolean;
  readonly publicUrl: string;
  readonly origins?: readonly string[];
  readonly isDocument?: boolean;
}

/**
 * Refuses requests that a page of another site makes a browser send. A service on loopback needs no key, and any page that is
 * open on the machine could use it: by a form, an image or a script, or by a host name that resolves to 127.0.0.1 (DNS
 * rebinding, which the Host header reveals). Reads are refused too: they cause work, and their duration reveals information.
 */
export function refuseForeignPages({ method, headers }: BrowserFacts, options: OriginGuardOptions): void {
  const { isLoopback, publicUrl, origins = [], isDocument = false } = options;
  const host = headers.get('host');
  if (isLoopback && host !== null && !isOwnName(host, publicUrl)) {
    throw new ApiError('forbidden', `The service does not answer to the name ${host}: set PUBLIC_URL if it should.`);
  }
  if (isDocument && isNavigation({ method, headers })) return;
  const site = headers.get('sec-fetch-site');
  const origin = headers.get('origin');
  if (origin !== null && origins.includes(origin)) return;
  const isOwn = origin !== null && isOwnOrigin(origin, host, publicUrl);
  // Another port of this machine is the same site. Browsers send the origin with some requests, the site with all.
  if (site === 'cross-site' || (site === 'same-site' && !isOwn) || (origin !== null && !isOwn)) {
    throw new ApiError('forbidden', 'Requests from pages of other sites are refused.');
  }
}

/** Whether a user follows a link; the page with the link cannot read the answer. */
function isNavigation({ method, headers }: BrowserFacts): boolean {
  if (method !== 'GET' || headers.get('origin') !== null) return false;
  return headers.get('sec-fetch-mode') === 'navigate' && headers.get('sec-fetch-dest') === 'document';
}

export function isLoopbackName(host: string): boolean {
  const name = hostname(`http://${host}`);
  // With any port: a request to an IP address involves no name resolution.
  return name !== undefined && isLoopbackHost(name);
}

function isOwnName(host: string, publicUrl: string): boolean {
  if (isLoopbackName(host)) return true;
  const name = hostname(`http://${host}`);
  return name !== undefined && name === hostname(publicUrl);
}

function isOwnOrigin(origin: string, host: string | null, publicUrl: string): boolean {
  // Sandboxed pages send `null`, which is not a URL and therefore foreign.
  if (!URL.canParse(origin)) return false;
  return new URL(origin).host === host || origin === new URL(publicUrl).origin;
}

function hostname(url: string): string | undefined {
  return URL.canParse(url) ? new URL(url).hostname : undefined;
}
