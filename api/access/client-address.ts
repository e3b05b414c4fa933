import { isIP, type BlockList } from 'node:net';
import { inNetworks, isSameAddress } from '../../outbound/addresses.ts';

/**
 * The address that a request comes from. What proxies add is believed from the right: each of our own proxies tells of the
 * one before it, and what stands left of the first stranger is the stranger's own claim.
 *
 * A proxy adds to one of the two headers and may hand on the other as a client wrote it, and nothing shows which. So where
 * both are there they must lead to the same address; otherwise the proxy itself stands for its callers.
 *
 * @param socketAddress of the connection
 * @param trusted networks of our own proxies
 */
export function clientAddress(
  socketAddress: string | undefined,
  headers: Pick<Headers, 'get'>,
  trusted: BlockList,
): string | undefined {
  if (socketAddress === undefined) return undefined;
  const socket = withoutMapping(socketAddress);
  const list = headers.get('x-forwarded-for');
  const forwarded = headers.get('forwarded');
  const byList = list === null ? undefined : addressBefore(socket, hopsOfList(list), trusted);
  const byForwarded = forwarded === null ? undefined : addressBefore(socket, hopsOfForwarded(forwarded), trusted);
  if (byList === undefined || byForwarded === undefined) return byList ?? byForwarded ?? socket;
  return isSameAddress(byList, byForwarded) ? byList : socket;
}

/** @param hops addresses, from the client to the last proxy */
function addressBefore(socket: string, hops: readonly string[], trusted: BlockList): string {
  const before = [...hops];
  let address = socket;
  while (inNetworks(address, trusted)) {
    const hop = before.pop();
    // What is no address ends the chain: the proxy that told of it stands for its callers then.
    if (hop === undefined || isIP(hop) === 0) break;
    address = withoutMapping(hop);
  }
  return address;
}

/** `X-Forwarded-For` */
function hopsOfList(list: string): string[] {
  return list.split(',').map((hop) => addressIn(hop.trim()));
}

/** Parts of `Forwarded` (RFC 7239) that are closed in quotes belong together. */
const QUOTED = String.raw`"(?:[^"\\]|\\.)*"`;
const WELL_QUOTED = new RegExp(`^(?:[^"]|${QUOTED})*$`);
const ELEMENTS = new RegExp(`(?:[^",]|${QUOTED})+`, 'g');
const PARAMETERS = new RegExp(`(?:[^";]|${QUOTED})+`, 'g');

/**
 * `Forwarded`: a proxy quotes what the client chose, such as its `Host`, in which a comma and `for=` make no hop. A quote that
 * a client left open would swallow what the proxy added: then nothing is believed.
 */
function hopsOfForwarded(header: string): string[] {
  if (!WELL_QUOTED.test(header)) return [];
  const elements: readonly string[] = header.match(ELEMENTS) ?? [];
  return elements.map((element) => {
    const parameters: readonly string[] = element.match(PARAMETERS) ?? [];
    const told = parameters.map((one) => /^\s*for="?([^"]*?)"?\s*$/i.exec(one)?.[1]).filter((one) => one !== undefined);
    // A proxy tells of one; two are somebody's trick.
    return told.length === 1 ? addressIn(told[0] ?? '') : '';
  });
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
