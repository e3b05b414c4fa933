import { isIP, type BlockList } from 'node:net';
import { WEBHOOK_URL_MAX_CHARS } from '../contract/limits.ts';
import { INFRASTRUCTURE_PORTS, PRIVATE_SUFFIXES } from '../contract/urls/url-patterns.ts';
import { inNetworks, isPermittedAddress } from './addresses.ts';

/** The name that stands for this machine without any look-up (RFC 6761, section 6.3). */
export const LOCALHOST = 'localhost';

export type TargetCheck = { readonly ok: true; readonly url: URL } | { readonly ok: false; readonly reason: string };

const LABEL = /^(?!-)[a-z0-9_-]{1,63}(?<!-)$/;
const TOP_LABEL = /^(?:[a-z]{2,63}|xn--[a-z0-9-]{1,59})$/;

/**
 * Says whether a URL may be the target of a request, as far as the URL itself tells. No I/O: what a name resolves to is
 * judged when the connection is made.
 *
 * @param url as the caller gave it
 * @param allowedNetworks networks exempt from the ban on private addresses and on ports
 * @returns the parsed URL, which alone must be used from here on, or a sentence that says why not, fit for the caller
 */
export function checkTarget(url: string, allowedNetworks: BlockList): TargetCheck {
  if (url.length > WEBHOOK_URL_MAX_CHARS) return refuse(`The URL is longer than ${WEBHOOK_URL_MAX_CHARS} characters.`);
  // The URL parser drops tabs and newlines and turns backslashes around; what a log or a proxy shows would differ from what is sent.
  if (/[\u0000-\u0020\u007f-\u00a0\\]/.test(url))
    return refuse('The URL contains spaces, control characters or backslashes.');
  if (!/^https?:\/\/[^/?#]/i.test(url)) return refuse('The URL does not start with http:// or https:// and a host.');
  if (!URL.canParse(url)) return refuse('The URL is not valid.');
  const parsed = new URL(url);
  // An empty user name (`http://@host`) leaves no trace in the parsed URL, but misleads readers all the same.
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

/** The loopback addresses that `localhost` may stand for here. */
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
  if (name.length > 253 || !labels.every((label) => LABEL.test(label)) || !TOP_LABEL.test(topLabel)) {
    return 'The host of the URL is not a valid domain name.';
  }
  return undefined;
}

/** @param port as `URL.port` gives it: empty for the scheme's own port */
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
