import { BlockList, isIP, isIPv4, isIPv6, SocketAddress } from 'node:net';

/** The address space of each family that may be public. For IPv6, IANA assigns only 2000::/3 for global unicast. */
const PUBLIC_SPACE = networks(['0.0.0.0/0', '2000::/3']);

/**
 * Networks in that space that are not public (IANA special-purpose registries). Because IPv6 starts from 2000::/3, NAT64, local
 * NAT64, IPv4-compatible, unique-local, link-local, site-local, SRv6 and multicast addresses are excluded without being listed.
 */
const SPECIAL_NETWORKS = networks([
  '0.0.0.0/8', // "this network"; on Linux 0.0.0.0 connects to loopback
  '10.0.0.0/8',
  '100.64.0.0/10', // carrier-grade NAT; also Alibaba's metadata service
  '127.0.0.0/8',
  '168.63.129.16/32', // Azure's host agent: looks public and is reachable from every virtual machine there
  '169.254.0.0/16', // link-local: the metadata services of most clouds
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24', // 6to4 relays
  '192.168.0.0/16',
  '198.18.0.0/15', // benchmarks between networks
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4', // multicast
  '240.0.0.0/4', // reserved, and broadcast
  '2001::/23', // Teredo carries an IPv4 address inside; ORCHID, benchmarks
  '2001:db8::/32',
  '2002::/16', // 6to4 carries an IPv4 address inside
  '3fff::/20', // documentation
]);

/** An IPv4 address mapped into IPv6 counts as IPv4. Everything that is not a plain address, including zone IDs, is not public. */
export function isPublicAddress(address: string): boolean {
  return inNetworks(address, PUBLIC_SPACE) && !inNetworks(address, SPECIAL_NETWORKS);
}

/** Whether an IP address is in one of the networks. A mapped IPv4 address counts as its IPv4 address. */
export function inNetworks(address: string, list: BlockList): boolean {
  const family = isIP(address);
  // A zone ID selects a network interface: no public address has one, and no network list can contain one.
  if (family === 0 || address.includes('%')) return false;
  return list.check(address, family === 4 ? 'ipv4' : 'ipv6');
}

export function isPermittedAddress(address: string, allowedNetworks: BlockList): boolean {
  return isPublicAddress(address) || inNetworks(address, allowedNetworks);
}

/** The unit that shares a limit: one IPv4 address, or a /64 network, the smallest that an IPv6 subscriber gets. */
export function addressGroup(address: string | undefined): string {
  if (address === undefined) return 'unknown';
  const canonical = canonicalAddress(address);
  if (!isIPv6(canonical)) return canonical;
  const [head = '', tail = ''] = canonical.split('::');
  const [first, last] = [head.split(':').filter(Boolean), tail.split(':').filter(Boolean)];
  const zeros = Array<string>(8 - first.length - last.length).fill('0');
  return `${[...first, ...zeros, ...last].slice(0, 4).join(':')}::/64`;
}

/**
 * Returns the same text for every spelling of an address. An IPv4 address mapped into IPv6 (RFC 4291, section 2.5.5.2) becomes the
 * IPv4 address, and a zone ID is removed. Other text is returned unchanged.
 */
export function canonicalAddress(address: string): string {
  const [plain = ''] = address.split('%', 1);
  if (!isIPv6(plain)) return address;
  const { address: canonical } = new SocketAddress({ address: plain, family: 'ipv6' });
  const mapped = canonical.replace(/^::ffff:/, '');
  return isIPv4(mapped) ? mapped : canonical;
}

/** @param host a host name or address from a setting or `URL.hostname`; IPv6 with or without brackets */
export function isLoopbackHost(host: string): boolean {
  const name = host.toLowerCase();
  // All addresses in 127.0.0.0/8 belong to this machine.
  return ['localhost', '::1', '[::1]'].includes(name) || (isIPv4(name) && name.startsWith('127.'));
}

function networks(subnets: readonly string[]): BlockList {
  const list = new BlockList();
  for (const subnet of subnets) {
    const [address = '', prefix] = subnet.split('/');
    list.addSubnet(address, Number(prefix), isIP(address) === 4 ? 'ipv4' : 'ipv6');
  }
  return list;
}
