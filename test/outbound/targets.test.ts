import { BlockList } from 'node:net';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { checkTarget } from '../../outbound/check-target.ts';
import { hostileHosts } from './hostile-hosts.ts';
import { hostileTargets, hostileUrls, publicUrls } from './hostile-urls.ts';
import { unicodeText, webUrl } from '../helpers/texts.ts';

const nothing = new BlockList();
const loopback = new BlockList();
loopback.addSubnet('127.0.0.0', 8, 'ipv4');

describe('checkTarget', () => {
  it('is tested with long lists without repetitions', () => {
    expect(new Set([...hostileHosts, ...hostileUrls]).size).toBe(hostileHosts.length + hostileUrls.length);
    expect(hostileHosts.length + hostileUrls.length).toBeGreaterThan(250);
    expect(new Set(publicUrls).size).toBe(publicUrls.length);
    expect(publicUrls.length).toBeGreaterThan(100);
  });

  it.each(hostileTargets(8080))('refuses %j with a sentence', (url) => {
    const check = checkTarget(url, nothing);
    expect(check).toEqual({ ok: false, reason: expect.stringMatching(/^[A-Z].*\.$/) as string });
  });

  it.each(publicUrls)('accepts %j and returns the parsed URL', (url) => {
    expect(checkTarget(url, nothing)).toEqual({ ok: true, url: new URL(url) });
  });

  it.each([
    'http://localhost:9000/',
    'http://LOCALHOST/',
    'http://127.0.0.1:9000/',
    'https://127.1:6379/',
    'http://127.9.9.9:22/',
    'http://[::ffff:127.0.0.1]:81/',
  ])('accepts %j, on any port, where loopback is allowed', (url) => expect(checkTarget(url, loopback).ok).toBe(true));

  it.each([
    'http://[::1]:9000/',
    'http://0.0.0.0:9000/',
    'http://[::]:9000/',
    'http://10.0.0.1/',
    'http://foo.localhost/',
    'http://printer.local/',
    'http://intern/',
    'http://u:p@localhost:9000/',
    'http://example.com:6379/',
  ])('still refuses %j where loopback is allowed', (url) => expect(checkTarget(url, loopback).ok).toBe(false));

  it('refuses localhost if only another network is allowed', () => {
    const other = new BlockList();
    other.addSubnet('10.0.0.0', 8, 'ipv4');
    expect(checkTarget('http://localhost:9000/', other).ok).toBe(false);
    expect(checkTarget('http://10.1.2.3:9000/', other).ok).toBe(true);
  });

  it('accepts at most 2048 characters', () => {
    expect(checkTarget('https://example.com/'.padEnd(2048, 'a'), nothing).ok).toBe(true);
    expect(checkTarget('https://example.com/'.padEnd(2049, 'a'), nothing)).toEqual({
      ok: false,
      reason: 'The URL is longer than 2048 characters.',
    });
  });

  it('refuses loopback written as any mixture of octal, decimal and hexadecimal parts', () => {
    const radix = fc.constantFrom(
      (part: number) => String(part),
      (part: number) => `0x${part.toString(16)}`,
      (part: number) => `0${part.toString(8)}`,
    );
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 0xffffff }),
        fc.integer({ min: 1, max: 4 }),
        fc.array(radix, { minLength: 4, maxLength: 4 }),
        (random, count, spell) => {
          const value = 0x7f000000 + random;
          const leading = [24, 16, 8].slice(0, count - 1).map((shift) => (value >>> shift) & 255);
          const last = count === 1 ? value : value & (2 ** (8 * (5 - count)) - 1);
          const host = [...leading, last].map((part, index) => spell[index]!(part)).join('.');
          return new URL(`http://${host}/`).hostname.startsWith('127.') && !checkTarget(`http://${host}/`, nothing).ok;
        },
      ),
      { numRuns: 1_000 },
    );
  });

  it('never throws, and accepts only URLs with a public host', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          unicodeText(),
          webUrl,
          fc.string().map((text) => `http://${text}`),
          fc.ipV6().map((address) => `http://[${address}]/`),
        ),
        (url) => {
          const check = checkTarget(url, nothing);
          return (
            !check.ok ||
            (/^https?:$/.test(check.url.protocol) &&
              check.url.username === '' &&
              check.url.password === '' &&
              check.url.hostname.includes(check.url.hostname.startsWith('[') ? ':' : '.'))
          );
        },
      ),
      { numRuns: 3_000 },
    );
  });
});
