import { expect, it } from 'vitest';
import { lookupInZone } from '../name-server.ts';
import { httpReceiver, nothing } from '../receivers.ts';
import { testClient } from './test-client.ts';

it.each(['inward', 'mapped', 'mixed', 'mixed-families', 'nat64'])(
  'forbids a request to %s.example.com, which DNS resolves to a private address',
  async (label) => {
    const receiver = await httpReceiver((_, answer) => answer.end());
    const client = testClient({ allowedNetworks: nothing, lookup: await lookupInZone() });
    for (const protocol of ['http', 'https']) {
      expect(
        await client.post(`${protocol}://${label}.example.com:${receiver.port}/`, { headers: {}, body: '' }),
      ).toMatchObject({ kind: 'forbidden' });
    }
    expect(receiver.connections()).toBe(0);
  },
);

it('reports a name that does not exist as unreachable', async () => {
  const client = testClient({ lookup: await lookupInZone() });
  expect(await client.post('https://missing.example.com/', { headers: {}, body: '' })).toMatchObject({
    kind: 'unreachable',
    error: 'dns',
  });
});
