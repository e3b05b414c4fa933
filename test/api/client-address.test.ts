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
    ['who has two addresses in one hop', '10.0.0.1', { forwarded: 'for=9.9.9.9;for=1.1.1.1' }, '10.0.0.1'],
  ])('%s', (_who, socket, headers, expected) => {
    expect(behind(socket, headers as Record<string, string>)).toBe(expected);
  });
});

describe('who shares a limit', () => {
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
