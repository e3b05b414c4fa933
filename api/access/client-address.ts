import { isIP, type BlockList } from 'node:net';
import { canonicalAddress, inNetworks } from '../../outbound/addresses.ts';

/** A longer header is not read. Proxies write at most some hundred bytes for each hop. */
const MAX_HEADER_CHARS = 4_096;

/**
 * The address from which a request comes, in its canonical form. The headers of proxies are read only if the peer is a trusted
 * proxy, and from the right: each trusted proxy reports the hop before it, and anyone could have written the rest.
 * A proxy adds to one of the two headers and may forward the other as a client wrote it. If both are present, they must
 * lead to the same address; otherwise the address of the proxy counts.
 */
export function clientAddress(
  socketAddress: string | undefined,
  headers: Pick<Headers, 'get'>,
  trusted: BlockList,
): string | undefined {
  if (socketAddress === undefined) return undefined;
  const socket = canonicalAddress(socketAddress);
  if (!inNetworks(socket, trusted)) return socket;
  const addressBy = (name: string, hopsOf: (header: string) => string[]): string | undefined => {
    const header = headers.get(name);
    if (header === null) return undefined;
    return addressBefore(socket, header.length > MAX_HEADER_CHARS ? [] : hopsOf(header), trusted);
  };
  const byList = addressBy('x-forwarded-for', hopsOfList);
  const byForwarded = addressBy('forwarded', hopsOfForwarded);
  if (byList === undefined || byForwarded === undefined) return byList ?? byForwarded ?? socket;
  return byList === byForwarded ? byList : socket;
}

/** @param hops addresses, from the client to the last proxy */
function addressBefore(socket: string, hops: readonly string[], trusted: BlockList): string {
  const before = [...hops];
  let address = socket;
  while (inNetworks(address, trusted)) {
    const hop = before.pop();
    // If the hop is not an address, the address of the proxy that reported it counts.
    if (hop === undefined || isIP(hop) === 0) break;
    address = canonicalAddress(hop);
  }
  return address;
}

function hopsOfList(list: string): string[] {
  return list.split(',').map((hop) => addressIn(hop.trim()));
}

/** A quoted part of `Forwarded` (RFC 7239) may contain separators. */
const QUOTED = String.raw`"(?:[^"\\]|\\.)*"`;
const WELL_QUOTED = new RegExp(`^(?:[^"]|${QUOTED})*$`);
const ELEMENTS = new RegExp(`(?:[^",]|${QUOTED})+`, 'g');
const PARAMETERS = new RegExp(`(?:[^";]|${QUOTED})+`, 'g');

/**
 * `Forwarded`: a proxy quotes text of the client, such as its `Host`, so separators in quotes do not count. A header with an open
 * quote is ignored, because the quote of a client would hide what the proxy added.
 */
function hopsOfForwarded(header: string): string[] {
  if (!WELL_QUOTED.test(header)) return [];
  const elements: readonly string[] = header.match(ELEMENTS) ?? [];
  return elements.map((element) => {
    const parameters: readonly string[] = element.match(PARAMETERS) ?? [];
    const named = parameters.map((one) => one.trim()).filter((one) => /^for=/i.test(one));
    // A proxy adds one address, so two are a forgery.
    return named.length === 1 ? addressIn(unquoted(named[0]?.slice('for='.length) ?? '')) : '';
  });
}

function unquoted(value: string): string {
  return /^"([^"]*)"$/.exec(value)?.[1] ?? value;
}

/** Removes the port that some proxies add, and the brackets of IPv6. */
function addressIn(hop: string): string {
  return /^\[([^\]]*)\]/.exec(hop)?.[1] ?? /^(\d+\.\d+\.\d+\.\d+):\d+$/.exec(hop)?.[1] ?? hop;
}
