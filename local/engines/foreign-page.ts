import type { IncomingMessage } from 'node:http';
import { isLoopbackName } from '../../api/access/origin-guard.ts';

/**
 * Whether a page from elsewhere has made a browser send this to a server for loopback: under a name of the page's own that
 * leads here (DNS rebinding; only the Host header shows that), by a form, or as its picture, script or frame. Programs send
 * none of what is looked at, but a Host that names loopback. A link that somebody follows is no such request: the page it
 * stands on sees nothing of the answer.
 *
 * @returns why it is to be refused
 */
export function foreignPage({ method, headers }: Pick<IncomingMessage, 'method' | 'headers'>): string | undefined {
  const { host = '', origin } = headers;
  if (!isLoopbackName(host)) return `This server does not answer to the name ${JSON.stringify(host)}.`;
  const site = headers['sec-fetch-site'] ?? 'none';
  const isLink =
    (method === 'GET' || method === 'HEAD') &&
    headers['sec-fetch-mode'] === 'navigate' &&
    headers['sec-fetch-dest'] === 'document';
  // Another port of loopback is the same site and another origin: what runs there may be anything.
  const isForeign =
    (origin !== undefined && origin !== `http://${host}`) || (site !== 'none' && site !== 'same-origin' && !isLink);
  return isForeign ? 'Requests from pages of other sites are refused.' : undefined;
}
