import { isIP, type BlockList } from 'node:net';
import { canonicalAddress, inNetworks } from '../../outbound/addresses.ts';

/** A longer header is not read. Proxies write at most some hundred bytes for each hop. */
const MAX_HEADER_CHARS = 4_096;

/**
 * The address that a request comes from, in its canonical form. The headers of proxies are read only if the peer is one of our
 * own proxies, and from the right: each of our proxies reports the hop before it, and what stands left of the first unknown
 * hop is only that hop's claim.
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
    // What is no address ends the chain: the proxy that reported it stands for its callers then.
    if (hop === undefined || isIP(hop) === 0) break;
    address = canonicalAddress(hop);
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
    const named = parameters.map((one) => one.trim()).filter((one) => /^for=/i.test(one));
    // A proxy names one address; two are a forgery.
    return named.length === 1 ? addressIn(unquoted(named[0]?.slice('for='.length) ?? '')) : '';
  });
}

function unquoted(value: string): string {
  return /^"([^"]*)"$/.exec(value)?.[1] ?? value;
}

/** Without the port that some proxies add, and without the brackets of IPv6. */
function addressIn(hop: string): string {
  return /^\[([^\]]*)\]/.exec(hop)?.[1] ?? /^(\d+\.\d+\.\d+\.\d+):\d+$/.exec(hop)?.[1] ?? hop;
}
