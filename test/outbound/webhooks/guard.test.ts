import type { RequestListener } from 'node:http';
import { BlockList } from 'node:net';
import { Agent, request } from 'undici';
import { describe, expect, it, vi } from 'vitest';
import { hostileAnswers, hostileHosts } from '../hostile-hosts.ts';
import { hostileTargets } from '../hostile-urls.ts';
import { countOutgoingSockets, httpReceiver, httpsReceiver, loopback, makeCertificate, nothing } from '../receivers.ts';
import { testClient } from './test-client.ts';

const message = { headers: { 'content-type': 'application/json' }, body: '{}' };
const LOOPBACK_HOST = /^(?:127\.|0\.0\.0\.0$|\[::1?\]$|\[::ffff:7f)/;

describe.each(['http', 'https'] as const)('a canary on loopback over %s', (protocol) => {
  async function canary() {
    const certificate = await makeCertificate();
    const receiver =
      protocol === 'http'
        ? await httpReceiver((_, answer) => answer.end())
        : await httpsReceiver(certificate, (_, answer) => answer.end());
    return { receiver, certificate };
  }

  it('is reached by an unguarded client through the hostile spellings', async () => {
    const { receiver } = await canary();
    const agent = new Agent({ connect: { rejectUnauthorized: false } });
    const urls = hostileHosts
      .map((host) => `${protocol}://${host}:${receiver.port}/`)
      .filter((url) => URL.canParse(url) && LOOPBACK_HOST.test(new URL(url).hostname));
    expect(urls.length).toBeGreaterThan(30);
    for (const url of urls) {
      const answer = await request(new URL(url), { dispatcher: agent });
      expect(answer.statusCode, url).toBe(200);
      await answer.body.dump();
    }
    await agent.destroy();
  });

  it('sees no connection from the guarded client, which opens no socket', async () => {
    const { receiver, certificate } = await canary();
    const client = testClient({
      allowedNetworks: nothing,
      trustedCa: certificate.cert,
      lookup: () => Promise.reject(new Error('nothing may be looked up')),
    });
    const sockets = countOutgoingSockets();
    for (const url of hostileTargets(receiver.port)) {
      expect(await client.post(url, message), url).toMatchObject({ kind: 'forbidden' });
    }
    expect(sockets()).toBe(0);
    expect(receiver.connections()).toBe(0);
  });

  it('is reached if loopback is allowed, by address and as localhost', async () => {
    const { receiver, certificate } = await canary();
    const client = testClient({ trustedCa: certificate.cert });
    const hosts = protocol === 'http' ? ['127.0.0.1', '[::1]', 'localhost', '127.1'] : ['127.0.0.1', '[::1]', '127.1'];
    for (const host of hosts) {
      expect(await client.post(`${protocol}://${host}:${receiver.port}/`, message), host).toMatchObject({
        kind: 'answered',
        statusCode: 200,
      });
    }
    expect(receiver.connections()).toBe(hosts.length);
  });

  it('is not reached through names, whatever their name servers return', async () => {
    const { receiver, certificate } = await canary();
    expect(hostileAnswers.length).toBeGreaterThan(100);
    for (const answer of hostileAnswers) {
      const client = testClient({
        allowedNetworks: nothing,
        trustedCa: certificate.cert,
        lookup: () => Promise.resolve(answer),
      });
      const outcome = await client.post(`${protocol}://hook.example.com:${receiver.port}/`, message);
      expect(outcome, String(answer)).toMatchObject({
        kind: 'forbidden',
        reason: 'The URL leads to an address that is not public.',
      });
    }
    expect(receiver.connections()).toBe(0);
  });

  it('is not reached by rebinding, because a request resolves the name once and uses only those addresses', async () => {
    const { receiver, certificate } = await canary();
    // 127.0.0.2 plays the public address: the only one allowed. 127.0.0.3 plays the private one.
    const onlyOne = new BlockList();
    onlyOne.addAddress('127.0.0.2');
    const lookup = vi
      .fn<(name: string) => Promise<string[]>>()
      .mockResolvedValueOnce(['127.0.0.2'])
      .mockResolvedValue(['127.0.0.3']);
    const client = testClient({ allowedNetworks: onlyOne, trustedCa: certificate.cert, lookup });
    const url = `${protocol}://hook.example.com:${receiver.port}/`;
    expect(await client.post(url, message)).toMatchObject({ kind: 'answered', statusCode: 200 });
    expect(lookup).toHaveBeenCalledTimes(1);
    expect(await client.post(url, message)).toMatchObject({ kind: 'forbidden' });
    expect(lookup).toHaveBeenCalledTimes(2);
    expect(receiver.connections()).toBe(1);
  });

  it('gets no request if the socket is connected to another address than the checked one', async () => {
    const certificate = await makeCertificate();
    const onRequest = vi.fn();
    const listener = (_: unknown, answer: { end: () => void }): void => {
      onRequest();
      answer.end();
    };
    const receiver = protocol === 'http' ? await httpReceiver(listener) : await httpsReceiver(certificate, listener);
    // Says yes to the answer of the look-up, and no when the same address is met again on the socket.
    const fickle = new BlockList();
    const check = vi.spyOn(fickle, 'check').mockReturnValueOnce(true).mockReturnValue(false);
    const client = testClient({
      allowedNetworks: fickle,
      trustedCa: certificate.cert,
      lookup: () => Promise.resolve(['127.0.0.1']),
    });
    const outcome = await client.post(`${protocol}://hook.example.com:${receiver.port}/`, message);
    expect(outcome).toMatchObject({ kind: 'forbidden' });
    expect(check).toHaveBeenCalledTimes(2);
    expect(receiver.connections()).toBe(1);
    expect(onRequest).not.toHaveBeenCalled();
  });

  it.each([301, 302, 303, 307, 308])(
    'is not reached through a redirect with %i, which counts as a response',
    async (statusCode) => {
      const { receiver, certificate } = await canary();
      const redirect: RequestListener = (_, answer) => {
        answer.writeHead(statusCode, { location: `${protocol}://127.0.0.1:${receiver.port}/` }).end('elsewhere');
      };
      const redirecting =
        protocol === 'http' ? await httpReceiver(redirect) : await httpsReceiver(certificate, redirect);
      const client = testClient({ trustedCa: certificate.cert });
      expect(await client.post(`${protocol}://127.0.0.1:${redirecting.port}/`, message)).toMatchObject({
        kind: 'answered',
        statusCode,
      });
      expect(redirecting.connections()).toBe(1);
      expect(receiver.connections()).toBe(0);
    },
  );
});

describe('TLS', () => {
  it('refuses an untrusted certificate, whatever the environment says', async () => {
    const receiver = await httpsReceiver(await makeCertificate(), (_, answer) => answer.end());
    vi.stubEnv('NODE_TLS_REJECT_UNAUTHORIZED', '0');
    const outcome = await testClient().post(`https://127.0.0.1:${receiver.port}/`, message);
    vi.unstubAllEnvs();
    expect(outcome).toMatchObject({ kind: 'unreachable', error: 'tls' });
  });

  it('refuses a certificate for another name', async () => {
    const certificate = await makeCertificate();
    const receiver = await httpsReceiver(certificate, (_, answer) => answer.end());
    const client = testClient({ trustedCa: certificate.cert, lookup: () => Promise.resolve(['127.0.0.1']) });
    expect(await client.post(`https://hook.example.com:${receiver.port}/`, message)).toMatchObject({
      kind: 'answered',
    });
    expect(await client.post(`https://other.example.com:${receiver.port}/`, message)).toMatchObject({
      kind: 'unreachable',
      error: 'tls',
    });
  });

  it('reports a server that speaks no TLS', async () => {
    const receiver = await httpReceiver((_, answer) => answer.end());
    expect(await testClient().post(`https://127.0.0.1:${receiver.port}/`, message)).toMatchObject({
      kind: 'unreachable',
      error: 'tls',
    });
  });
});

it('ignores the proxy variables of the environment', async () => {
  const proxy = await httpReceiver((_, answer) => answer.end());
  const receiver = await httpReceiver((_, answer) => answer.writeHead(204).end());
  for (const name of ['HTTP_PROXY', 'http_proxy', 'HTTPS_PROXY', 'ALL_PROXY'])
    vi.stubEnv(name, `http://127.0.0.1:${proxy.port}`);
  vi.stubEnv('NODE_USE_ENV_PROXY', '1');
  const outcome = await testClient({ allowedNetworks: loopback }).post(`http://127.0.0.1:${receiver.port}/`, message);
  vi.unstubAllEnvs();
  expect(outcome).toMatchObject({ kind: 'answered', statusCode: 204 });
  expect(proxy.connections()).toBe(0);
});
