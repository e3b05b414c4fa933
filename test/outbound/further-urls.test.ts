import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { isIP } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { DownloadError } from '../../outbound/download.ts';
import { createDownloader } from '../../outbound/download.ts';
import { checkTarget } from '../../outbound/check-target.ts';
import { testClient } from './webhooks/test-client.ts';
import { furtherHostileUrls, furtherPublicUrls } from './further-urls.ts';
import { hostileHosts } from './hostile-hosts.ts';
import { hostileUrls, publicUrls } from './hostile-urls.ts';
import { countOutgoingSockets, httpReceiver, httpsReceiver, makeCertificate, nothing } from './receivers.ts';

const limits = { connectTimeoutMs: 1_000, idleTimeoutMs: 1_000 };

/** What names that anybody may register really answer, or might: nothing of the name says so. */
const inwardNames: Readonly<Record<string, readonly string[]>> = {
  'localtest.me': ['127.0.0.1'],
  'lvh.me': ['127.0.0.1', '::1'],
  '127.0.0.1.nip.io': ['127.0.0.1'],
  '7f000001.nip.io': ['127.0.0.1'],
  '10.0.0.1.sslip.io': ['10.0.0.1'],
  '169-254-169-254.sslip.io': ['169.254.169.254'],
  'metadata.google': ['169.254.169.254'],
  'fritz.box': ['192.168.178.1'],
  'routerlogin.net': ['192.168.1.1'],
  'spoofed.burpcollaborator.net': ['127.0.0.1'],
  'a.b.c.vcap.me': ['127.0.0.1'],
  'six.example.com': ['fd00:ec2::254'],
  'mapped.example.com': ['::ffff:169.254.169.254'],
  'azure.example.com': ['168.63.129.16'],
  'alibaba.example.com': ['100.100.100.200'],
  'zero.example.com': ['0.0.0.0'],
  'broadcast.example.com': ['255.255.255.255'],
  'mixed.example.com': ['93.184.215.14', '10.0.0.1'],
};

it('has a long second list that repeats nothing of the first', () => {
  expect(furtherHostileUrls.length).toBeGreaterThanOrEqual(250);
  expect(furtherPublicUrls.length).toBeGreaterThanOrEqual(90);
  expect(new Set(furtherHostileUrls).size).toBe(furtherHostileUrls.length);
  expect(new Set(furtherPublicUrls).size).toBe(furtherPublicUrls.length);
  const known = new Set([...hostileHosts.map((host) => `http://${host}:{port}/hook`), ...hostileUrls]);
  const isNew = furtherHostileUrls.filter((url) => !known.has(url));
  expect(isNew.length).toBeGreaterThan(200);
  expect(furtherPublicUrls.filter((url) => !publicUrls.includes(url)).length).toBeGreaterThan(60);
});

describe('a URL such as', () => {
  it.each(furtherHostileUrls)('%j is refused with a sentence', (url) => {
    expect(checkTarget(url.replaceAll('{port}', '8080'), nothing)).toEqual({
      ok: false,
      reason: expect.stringMatching(/^[A-Z].*\.$/) as string,
    });
  });

  it.each(furtherPublicUrls)('%j is accepted', (url) => {
    expect(checkTarget(url, nothing)).toEqual({ ok: true, url: new URL(url) });
  });
});

describe.each(['http', 'https'] as const)('over %s,', (protocol) => {
  async function canary() {
    const certificate = await makeCertificate();
    const listener = (_: unknown, answer: { end: (text: string) => void }): void => answer.end('secret');
    const server = protocol === 'http' ? await httpReceiver(listener) : await httpsReceiver(certificate, listener);
    return { server, trustedCa: certificate.cert };
  }
  async function target(lookup: (name: string) => Promise<readonly string[]>) {
    const { server, trustedCa } = await canary();
    const folder = await mkdtemp(join(tmpdir(), 'tapedeck-urls-'));
    onTestFinished(() => rm(folder, { recursive: true, force: true }));
    const settings = { allowedNetworks: nothing, trustedCa, lookup };
    const download = createDownloader({ ...limits, ...settings });
    const options = { maxBytes: 100, timeoutMs: 3_000, signal: new AbortController().signal };
    return {
      server,
      client: testClient(settings),
      fetchMedia: (url: string) =>
        download(url, { ...options, path: join(folder, 'media') }).then(
          () => 'downloaded',
          (error: unknown) => (error as DownloadError).problem.kind,
        ),
      left: () => readdir(folder),
    };
  }

  it('a hostile URL opens no socket, neither as a webhook nor for media', async () => {
    const { server, client, fetchMedia, left } = await target(() => Promise.reject(new Error('nothing is looked up')));
    const sockets = countOutgoingSockets();
    for (const template of furtherHostileUrls) {
      const url = template.replaceAll('{port}', String(server.port)).replace(/^http:/, `${protocol}:`);
      expect(await client.post(url, { headers: {}, body: '{}' }), url).toMatchObject({ kind: 'forbidden' });
      expect(await fetchMedia(url), url).toBe('forbidden');
    }
    expect(sockets()).toBe(0);
    expect(server.connections()).toBe(0);
    expect(await left()).toEqual([]);
  });

  it('a public name with a private address is not reached', async () => {
    const { server, client, fetchMedia } = await target((name) => Promise.resolve(inwardNames[name] ?? []));
    const sockets = countOutgoingSockets();
    for (const name of Object.keys(inwardNames)) {
      const url = `${protocol}://${name}:${server.port}/`;
      expect(await client.post(url, { headers: {}, body: '{}' }), name).toMatchObject({ kind: 'forbidden' });
      expect(await fetchMedia(url), name).toBe('forbidden');
    }
    expect(server.connections()).toBe(0);
    // Where a look-up comes first, a socket is made before it, and never connected.
    expect(sockets()).toBeLessThanOrEqual(2 * Object.keys(inwardNames).length);
  });

  it('every public URL would be reached at the address of its name', async () => {
    const lookedUp: string[] = [];
    // Ends each attempt where its connection would begin.
    const { client } = await target((name) => {
      lookedUp.push(name);
      return Promise.reject(new Error('far enough'));
    });
    for (const url of furtherPublicUrls) {
      const { hostname } = new URL(url);
      if (isIP(hostname.replace(/^\[|\]$/g, '')) !== 0) continue;
      expect(await client.post(url.replace(/^https?/i, protocol), { headers: {}, body: '{}' }), url).toMatchObject({
        kind: 'unreachable',
        error: 'dns',
      });
      expect(lookedUp.at(-1), url).toBe(hostname);
    }
  });
});
