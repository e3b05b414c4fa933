import type { IncomingMessage } from 'node:http';
import { isLoopbackName } from '../../api/access/origin-guard.ts';

/**
 * Detects requests that a page of another site made a browser send to a loopback server: by DNS rebinding (the Host header
 * shows it), by a form, or as an image, script or frame. A followed link is allowed, since the page cannot read the answer.
 *
 * @returns why the request must be refused
 */
export function foreignPage({ method, headers }: Pick<IncomingMessage, 'method' | 'headers'>): string | undefined {
  const { host = '', origin } = headers;
  if (!isLoopbackName(host)) return `This server does not answer to the name ${JSON.stringify(host)}.`;
  const site = headers['sec-fetch-site'] ?? 'none';
  const isLink =
    (method === 'GET' || method === 'HEAD') &&
    headers['sec-fetch-mode'] === 'navigate' &&
    headers['sec-fetch-dest'] === 'document';
  // Another port of loopback is the same site, but another origin.
  const isForeign =
    (origin !== undefined && origin !== `http://${host}`) || (site !== 'none' && site !== 'same-origin' && !isLink);
  return isForeign ? 'Requests from pages of other sites are refused.' : undefined;
}
