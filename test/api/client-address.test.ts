import { BlockList } from 'node:net';
import { describe, expect, it } from 'vitest';
import { clientAddress } from '../../api/access/client-address.ts';
import { addressGroup } from '../../outbound/addresses.ts';

const trusted = new BlockList();
trusted.addSubnet('10.0.0.0', 8, 'ipv4');
trusted.addSubnet('fd00::', 8, 'ipv6');
const behind = (socket: string, headers: Record<string, string>) =>
  clientAddress(socket, new Headers(headers), trusted);

describe('the address of a client', () => {
  it.each([
    ['of a stranger, who may write what he likes', '8.8.8.8', { 'x-forwarded-for': '1.1.1.1' }, '8.8.8.8'],
    ['behind a proxy', '10.0.0.1', { 'x-forwarded-for': '1.1.1.1' }, '1.1.1.1'],
    ['who forged a hop before the proxy', '10.0.0.1', { 'x-forwarded-for': '9.9.9.9, 1.1.1.1' }, '1.1.1.1'],
    ['behind two proxies', '10.0.0.1', { 'x-forwarded-for': '9.9.9.9, 1.1.1.1, 10.0.0.2' }, '1.1.1.1'],
    ['with a port', '10.0.0.1', { 'x-forwarded-for': '1.1.1.1:443' }, '1.1.1.1'],
    ['of IPv6 with a port', '10.0.0.1', { 'x-forwarded-for': '[2001:db8::1]:443' }, '2001:db8::1'],
    ['on a socket of both families', '::ffff:10.0.0.1', { 'x-forwarded-for': '::ffff:1.1.1.1' }, '1.1.1.1'],
    ['by RFC 7239', '10.0.0.1', { forwarded: 'for=9.9.9.9, for="[2001:db8::1]:4711";proto=https' }, '2001:db8::1'],
    ['whom the proxy hides', '10.0.0.1', { forwarded: 'for=_hidden' }, '10.0.0.1'],
    ['of whom the proxy tells nothing', '10.0.0.1', {}, '10.0.0.1'],
    ['whose chain is nonsense', '10.0.0.1', { 'x-forwarded-for': '9.9.9.9, unknown' }, '10.0.0.1'],
    ['that is a proxy itself', '10.0.0.1', { 'x-forwarded-for': 'fd00::1' }, 'fd00::1'],
    [
      'of whom both headers tell the same',
      '10.0.0.1',
      { 'x-forwarded-for': '2001:db8::1', forwarded: 'for="[2001:DB8:0::1]"' },
      '2001:db8::1',
    ],
    [
      'who wrote the header that the proxy hands on, when it adds the other',
      '10.0.0.1',
      { 'x-forwarded-for': '9.9.9.9', forwarded: 'for=1.1.1.1' },
      '10.0.0.1',
    ],
    [
      'who wrote both, before what the proxy added to one',
      '10.0.0.1',
      { 'x-forwarded-for': '9.9.9.9', forwarded: 'for=9.9.9.9, for=1.1.1.1' },
      '10.0.0.1',
    ],
    [
      'who named a host that looks like a hop',
      '10.0.0.1',
      { forwarded: 'for=1.1.1.1;host="a, for=9.9.9.9";proto=http' },
      '1.1.1.1',
    ],
    [
      'who named a host that looks like a parameter',
      '10.0.0.1',
      { forwarded: 'host="a;for=9.9.9.9";for=1.1.1.1' },
      '1.1.1.1',
    ],
    ['who left a quote open', '10.0.0.1', { forwarded: 'for="9.9.9.9, for=1.1.1.1' }, '10.0.0.1'],
    ['who named a second address without quotes around it', '10.0.0.1', { forwarded: 'for=1.1.1.1;FOR=' }, '10.0.0.1'],
    ['whose proxy adds blanks', '10.0.0.1', { forwarded: ' for=9.9.9.9 ,\tfor="1.1.1.1" ; proto=http' }, '1.1.1.1'],
    ['who has two addresses in one hop', '10.0.0.1', { forwarded: 'for=9.9.9.9;for=1.1.1.1' }, '10.0.0.1'],
  ])('%s', (_who, socket, headers, expected) => {
    expect(behind(socket, headers as Record<string, string>)).toBe(expected);
  });
});

describe('a header of a proxy', () => {
  const long = 'unknown, '.repeat(600);
  it.each([{ 'x-forwarded-for': `${long}1.1.1.1` }, { forwarded: `${long}for=1.1.1.1` }])(
    'that is too long makes the proxy stand for its callers',
    (headers) => {
      expect(behind('10.0.0.1', headers as Record<string, string>)).toBe('10.0.0.1');
    },
  );

  it('is not read if the peer is not a trusted proxy', () => {
    const headers = { get: () => expect.unreachable() };
    expect(clientAddress('8.8.8.8', headers, trusted)).toBe('8.8.8.8');
    expect(clientAddress(undefined, headers, trusted)).toBe(undefined);
  });
});

describe('the canonical form of an IPv4-mapped IPv6 address', () => {
  const spellings = [
    '::ffff:1.2.3.4',
    '::FFFF:0102:0304',
    '::ffff:102:304',
    '0:0:0:0:0:ffff:1.2.3.4',
    '::0:ffff:1.2.3.4',
  ];
  it.each([...spellings, '0000:0000:0000:0000:0000:ffff:0102:0304', '0::ffff:102:0304'])('%s', (mapped) => {
    const addresses = [
      behind('10.0.0.1', { 'x-forwarded-for': mapped }),
      behind('10.0.0.1', { 'x-forwarded-for': `[${mapped}]:4711` }),
      behind('10.0.0.1', { forwarded: `for="[${mapped}]"` }),
      behind('10.0.0.1', { forwarded: `for="[${mapped}]:4711"`, 'x-forwarded-for': '1.2.3.4' }),
      behind('::ffff:a00:1', { 'x-forwarded-for': `${mapped}, 0:0:0:0:0:ffff:10.0.0.2` }),
      behind(mapped, {}),
    ];
    expect(addresses).toEqual(addresses.map(() => '1.2.3.4'));
    expect(addressGroup(mapped)).toBe('1.2.3.4');
  });

  it.each(['::1.2.3.4', '::ffff:0:1.2.3.4', '64:ff9b::1.2.3.4', '1::ffff:1.2.3.4', '2002:102:304::1'])(
    'and %s is not',
    (other) => {
      expect(addressGroup(behind('10.0.0.1', { 'x-forwarded-for': other }))).toMatch(/^[\da-f:]+::\/64$/);
    },
  );
});

describe('the group of addresses that share a limit', () => {
  it.each([
    ['1.2.3.4', '1.2.3.4'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:db8:1:2::', '2001:db8:1:2::/64'],
    ['2001:DB8:1:2:0:0:0:1', '2001:db8:1:2::/64'],
    ['2001:db8::1', '2001:db8:0:0::/64'],
    ['::1', '0:0:0:0::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
    [undefined, 'unknown'],
  ])('%s is in %s', (address, group) => {
    expect(addressGroup(address)).toBe(group);
  });
});
