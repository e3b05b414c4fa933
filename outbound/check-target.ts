import { isIP, type BlockList } from 'node:net';
import { WEBHOOK_URL_MAX_CHARS } from '../contract/request-limits.ts';
import { INFRASTRUCTURE_PORTS, PRIVATE_SUFFIXES } from '../contract/urls/url-patterns.ts';
import { inNetworks, isPermittedAddress } from './addresses.ts';

/** A name that means this machine without a DNS query (RFC 6761, section 6.3). */
export const LOCALHOST = 'localhost';

type TargetCheck = { readonly ok: true; readonly url: URL } | { readonly ok: false; readonly reason: string };

const LABEL = /^(?!-)[a-z0-9_-]{1,63}(?<!-)$/;
const TOP_LABEL = /^(?:[a-z]{2,63}|xn--[a-z0-9-]{1,59})$/;

/**
 * Checks whether a URL may be the target of a request. It does no I/O: the addresses of a name are checked by the connector.
 *
 * @param url the URL exactly as the caller sent it
 * @param allowedNetworks networks exempt from the ban on private addresses and on ports
 * @returns the parsed URL, which callers must use from here on, or the reason as a sentence for the caller
 */
export function checkTarget(url: string, allowedNetworks: BlockList): TargetCheck {
  if (url.length > WEBHOOK_URL_MAX_CHARS) return refuse(`The URL is longer than ${WEBHOOK_URL_MAX_CHARS} characters.`);
  // The URL parser removes tabs and newlines and replaces backslashes, so a log or a proxy would show another URL than the one sent.
  if (/[\u0000-\u0020\u007f-\u00a0\\]/.test(url))
    return refuse('The URL contains spaces, control characters or backslashes.');
  if (!/^https?:\/\/[^/?#]/i.test(url)) return refuse('The URL does not start with http:// or https:// and a host.');
  if (!URL.canParse(url)) return refuse('The URL is not valid.');
  const parsed = new URL(url);
  // An empty user name (`http://@host`) is lost in the parsed URL, but misleads readers.
  if (authorityOf(url).includes('@')) return refuse('The URL contains a user name or password.');

  const host = parsed.hostname.replace(/^\[|\]$/g, '');
  if (isExempt(host, allowedNetworks)) return { ok: true, url: parsed };
  if (isIP(host) === 0) {
    const reason = refusalOfName(host);
    if (reason !== undefined) return refuse(reason);
  } else if (!isPermittedAddress(host, allowedNetworks)) {
    return refuse('The URL points to an address that is not public.');
  }
  if (!isOpenPort(parsed.port))
    return refuse(
      `Port ${parsed.port} is not allowed: use 80, 443 or a port from 1024 that is not one of infrastructure.`,
    );
  return { ok: true, url: parsed };
}

export function localhostAddresses(allowedNetworks: BlockList): readonly string[] {
  return ['127.0.0.1', '::1'].filter((address) => inNetworks(address, allowedNetworks));
}

function isExempt(host: string, allowedNetworks: BlockList): boolean {
  return inNetworks(host, allowedNetworks) || (host === LOCALHOST && localhostAddresses(allowedNetworks).length > 0);
}

function refusalOfName(host: string): string | undefined {
  const name = host.replace(/\.$/, '');
  const labels = name.split('.');
  const topLabel = labels.at(-1) ?? '';
  if (PRIVATE_SUFFIXES.some((suffix) => name === suffix || name.endsWith(`.${suffix}`)))
    return 'The URL points to a name of a private network.';
  if (labels.length < 2) return 'The host of the URL is not a full domain name.';
  if (name.length > 253 || !labels.every((label) => LABEL.test(label)) || !TOP_LABEL.test(topLabel))
    return 'The host of the URL is not a valid domain name.';
  return undefined;
}

/** @param port the value of `URL.port`, which is empty for the scheme's default port */
function isOpenPort(port: string): boolean {
  const number = Number(port || 80);
  return number === 80 || number === 443 || (number >= 1024 && !INFRASTRUCTURE_PORTS.has(number));
}

function authorityOf(url: string): string {
  return url.slice(url.indexOf('//') + 2).split(/[/?#]/, 1)[0] ?? '';
}

function refuse(reason: string): TargetCheck {
  return { ok: false, reason };
}
