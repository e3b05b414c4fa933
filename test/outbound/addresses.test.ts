import { BlockList } from 'node:net';
import fc from 'fast-check';
import ipaddr from 'ipaddr.js';
import { describe, expect, it } from 'vitest';
import { inNetworks, isPermittedAddress, isPublicAddress } from '../../outbound/addresses.ts';

const deniedV4 = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '168.63.129.16/32',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
];
// Written as networks outside 2000::/3, unlike in the product, so that the two lists can't share a mistake.
const deniedV6 = [
  '::/96',
  '::ffff:0:0:0/96',
  '64:ff9b::/96',
  '64:ff9b:1::/48',
  '100::/64',
  '100:0:0:1::/64',
  '2001::/32',
  '2001:2::/48',
  '2001:10::/28',
  '2001:20::/28',
  '2001::/23',
  '2001:db8::/32',
  '2002::/16',
  '3fff::/20',
  '5f00::/16',
  'fc00::/7',
  'fe80::/10',
  'fec0::/10',
  'ff00::/8',
  '4000::/2',
  '8000::/1',
  '1000::/4',
  '400::/6',
];

describe('isPublicAddress at the edges of every denied network', () => {
  it.each(deniedV4)('refuses the first and the last address of %s, plain and mapped', (cidr) => {
    const { first, last } = edgesOf(cidr);
    for (const address of [first, last]) {
      expect(isPublicAddress(v4Text(address)), v4Text(address)).toBe(false);
      for (const spelling of mappedSpellings(address)) expect(isPublicAddress(spelling), spelling).toBe(false);
    }
  });

  it.each(deniedV4)('agrees with an independent implementation just outside %s', (cidr) => {
    const { first, last } = edgesOf(cidr);
    for (const address of [first - 1n, last + 1n].filter((value) => value >= 0n && value < 1n << 32n)) {
      const text = v4Text(address);
      const expected = !deniedV4.some((denied) => ipaddr.IPv4.parse(text).match(ipaddr.IPv4.parseCIDR(denied)));
      expect(isPublicAddress(text), text).toBe(expected);
    }
  });

  it.each([
    ['1.1.1.1', true],
    ['8.8.8.8', true],
    ['168.63.129.15', true],
    ['168.63.129.17', true],
    ['223.255.255.255', true],
    ['2606:4700:4700::1111', true],
    ['2001:200::', true],
    ['2001:1ff:ffff:ffff:ffff:ffff:ffff:ffff', false],
    ['3fff:1000::', true],
    ['3fff:fff:ffff::', false],
    ['2003::', true],
    ['2001:ffff::', true],
    ['1fff:ffff::', false],
    ['4000::', false],
    ['::ffff:1.1.1.1', true],
    // Not addresses, or not in the form that sockets give.
    ['', false],
    ['example.com', false],
    ['[::1]', false],
    ['[2606:4700::1]', false],
    ['8.8.8', false],
    ['134744072', false],
    ['0x8.8.8.8', false],
    ['08.8.8.8', false],
    ['8.8.8.8 ', false],
    ['8.8.8.8/32', false],
    ['8.8.8.8:80', false],
    ['fe80::1%eth0', false],
    ['2606:4700::1%eth0', false],
    ['::ffff:8.8.8.8%1', false],
  ])('%j: %s', (address, expected) => {
    expect(isPublicAddress(address)).toBe(expected);
  });
});

describe('isPublicAddress over random addresses', () => {
  it('refuses every address of a denied IPv4 network, in every spelling', () => {
    fc.assert(
      fc.property(fc.constantFrom(...deniedV4), fc.bigInt({ min: 0n, max: (1n << 32n) - 1n }), (cidr, random) => {
        const { first, last } = edgesOf(cidr);
        const address = first + (random % (last - first + 1n));
        return (
          !isPublicAddress(v4Text(address)) && mappedSpellings(address).every((spelling) => !isPublicAddress(spelling))
        );
      }),
      { numRuns: 2_000 },
    );
  });

  it('refuses every address of a denied IPv6 network, in every spelling', () => {
    fc.assert(
      fc.property(fc.constantFrom(...deniedV6), fc.bigInt({ min: 0n, max: (1n << 128n) - 1n }), (cidr, random) => {
        const { first, last } = edgesOf(cidr);
        return v6Spellings(first + (random % (last - first + 1n))).every((spelling) => !isPublicAddress(spelling));
      }),
      { numRuns: 2_000 },
    );
  });

  it('agrees with an independent library on all IPv4 addresses', () => {
    fc.assert(
      fc.property(fc.ipV4(), (address) => {
        const denied = deniedV4.some((cidr) => ipaddr.IPv4.parse(address).match(ipaddr.IPv4.parseCIDR(cidr)));
        return isPublicAddress(address) === !denied;
      }),
      { numRuns: 5_000 },
    );
  });

  it('agrees with an independent library on IPv6 addresses inside and outside 2000::/3', () => {
    const exceptions = ['2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20'];
    const anywhere = fc.bigInt({ min: 0n, max: (1n << 128n) - 1n });
    const nearExceptions = anywhere.map((random) => (0x2001n << 112n) | (random & ((1n << 112n) - 1n)));
    const global = anywhere.map((random) => (1n << 125n) | (random & ((1n << 125n) - 1n)));
    fc.assert(
      fc.property(fc.oneof(anywhere, nearExceptions, global), (value) => {
        const address = v6Spellings(value)[0]!;
        const parsed = ipaddr.IPv6.parse(address);
        const expected =
          parsed.match(ipaddr.IPv6.parseCIDR('2000::/3')) &&
          !exceptions.some((cidr) => parsed.match(ipaddr.IPv6.parseCIDR(cidr)));
        return parsed.isIPv4MappedAddress() || isPublicAddress(address) === expected;
      }),
      { numRuns: 5_000 },
    );
  });
});

describe('isPermittedAddress', () => {
  const loopback = new BlockList();
  loopback.addSubnet('127.0.0.0', 8, 'ipv4');

  it('permits the allowed networks and nothing else', () => {
    expect(isPermittedAddress('127.0.0.1', loopback)).toBe(true);
    expect(isPermittedAddress('::ffff:127.0.0.1', loopback)).toBe(true);
    expect(isPermittedAddress('8.8.8.8', loopback)).toBe(true);
    for (const address of ['::1', '0.0.0.0', '10.0.0.1', '::7f00:1', '::', '64:ff9b::7f00:1']) {
      expect(isPermittedAddress(address, loopback), address).toBe(false);
    }
  });

  it('permits no private address with an empty list', () => {
    expect(inNetworks('127.0.0.1', new BlockList())).toBe(false);
    expect(isPermittedAddress('127.0.0.1', new BlockList())).toBe(false);
  });
});

function edgesOf(cidr: string): { first: bigint; last: bigint } {
  const [address, prefix] = ipaddr.parseCIDR(cidr);
  const bytes = address.toByteArray();
  const hostBits = BigInt(bytes.length * 8 - prefix);
  const first = bytes.reduce((value, byte) => (value << 8n) | BigInt(byte), 0n);
  return { first, last: first + (1n << hostBits) - 1n };
}

function v4Text(value: bigint): string {
  return [24n, 16n, 8n, 0n].map((shift) => String((value >> shift) & 255n)).join('.');
}

function groupsOf(value: bigint): string[] {
  return Array.from({ length: 8 }, (_, index) => ((value >> BigInt(112 - 16 * index)) & 0xffffn).toString(16));
}

function v6Spellings(value: bigint): string[] {
  const groups = groupsOf(value);
  const padded = groups.map((group) => group.padStart(4, '0')).join(':');
  const dotted = `${groups.slice(0, 6).join(':')}:${v4Text(value & 0xffffffffn)}`;
  const compressed = new URL(`http://[${padded}]`).hostname.slice(1, -1);
  return [groups.join(':'), padded, padded.toUpperCase(), dotted, compressed];
}

function mappedSpellings(value: bigint): string[] {
  return [...v6Spellings((0xffffn << 32n) | value), `::ffff:${v4Text(value)}`, `::FFFF:${v4Text(value)}`];
}
