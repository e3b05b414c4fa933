import { describe, expect, it } from 'vitest';
import { lookupInZone } from './name-server.ts';

describe('the DNS look-up', () => {
  it.each([
    ['both.example.com', ['93.184.215.14', '93.184.215.15', '2606:4700::1111']],
    ['four.example.com', ['93.184.215.14']],
    ['six.example.com', ['2606:4700::1111']],
  ])('finds all addresses of %s', async (name, addresses) => {
    const lookup = await lookupInZone();
    expect([...(await lookup(name))].sort()).toEqual([...addresses].sort());
  });

  it.each(['none.example.com', 'missing.example.com'])('fails for %s', async (name) => {
    const lookup = await lookupInZone();
    await expect(lookup(name)).rejects.toThrow(name);
  });

  it('reads no hosts file', async () => {
    const lookup = await lookupInZone();
    await expect(lookup('localhost')).rejects.toThrow('localhost');
  });

  it('is not delayed by a hundred names whose servers are silent', async () => {
    const lookup = await lookupInZone();
    // Each is queried twice; many more would overflow the socket buffer of the test's name server.
    void Promise.allSettled(Array.from({ length: 100 }, (_, index) => lookup(`n${index}.silent.example.com`)));
    const startedMs = performance.now();
    expect(await lookup('four.example.com')).toEqual(['93.184.215.14']);
    expect(performance.now() - startedMs).toBeLessThan(4_000);
  });
});
