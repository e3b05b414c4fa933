import { isIP, isIPv6, type BlockList } from 'node:net';
import { inNetworks } from '../../outbound/addresses.ts';

/**
 * The address that a request comes from. What proxies add is believed from the right: each of our own proxies tells of the
 * one before it, and what stands left of the first stranger is the stranger's own claim.
 *
 * @param socketAddress of the connection
 * @param trusted networks of our own proxies
 */
export function clientAddress(
  socketAddress: string | undefined,
  headers: Pick<Headers, 'get'>,
  trusted: BlockList,
): string | undefined {
  let address = socketAddress === undefined ? undefined : withoutMapping(socketAddress);
  const hops = forwardedFor(headers);
  while (address !== undefined && inNetworks(address, trusted)) {
    const before = hops.pop();
    // What is no address ends the chain: the proxy that told of it stands for its callers then.
    if (before === undefined || isIP(before) === 0) break;
    address = withoutMapping(before);
  }
  return address;
}

/** Who shares a limit: one IPv4 address, or the /64 network that one IPv6 subscriber has at the least. */
export function addressGroup(address: string | undefined): string {
  if (address === undefined) return 'unknown';
  if (!isIPv6(address)) return address;
  return `${groupsOf(address).slice(0, 4).join(':')}::/64`;
}

/** `X-Forwarded-For`, else `Forwarded` (RFC 7239): addresses, from the client to the last proxy. */
function forwardedFor(headers: Pick<Headers, 'get'>): string[] {
  const list = headers.get('x-forwarded-for');
  if (list !== null) return list.split(',').map((hop) => addressIn(hop.trim()));
  const forwarded = headers.get('forwarded')?.split(',') ?? [];
  return forwarded.map((hop) => addressIn(/(?:^|;)\s*for="?([^";]*)"?/i.exec(hop.trim())?.[1] ?? ''));
}

/** Without the port that some proxies add, and without the brackets of IPv6. */
function addressIn(hop: string): string {
  return /^\[([^\]]*)\]/.exec(hop)?.[1] ?? /^(\d+\.\d+\.\d+\.\d+):\d+$/.exec(hop)?.[1] ?? hop;
}

/** An IPv4 caller of a socket that takes both families. */
function withoutMapping(address: string): string {
  const [, ipv4] = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address) ?? [];
  return ipv4 ?? address;
}

/** The eight groups, without leading zeros: each address is written in one way. */
function groupsOf(address: string): string[] {
  // The parser of URLs writes the last form of an address, such as fe80::1, from any of them.
  const host = new URL(`http://[${address.split('%', 1)[0] ?? ''}]`).hostname.slice(1, -1);
  const [head = '', tail] = host.split('::');
  const first = head === '' ? [] : head.split(':');
  const last = tail === undefined || tail === '' ? [] : tail.split(':');
  return [...first, ...Array<string>(8 - first.length - last.length).fill('0'), ...last];
}
