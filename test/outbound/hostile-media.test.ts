import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { BlockList } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { RequestListener } from 'node:http';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createDownloader, type DownloaderSettings } from '../../outbound/download.ts';
import type { DownloadProblem } from '../../outbound/download.ts';
import { hostileAnswers, hostileHosts } from './hostile-hosts.ts';
import { hostileTargets } from './hostile-urls.ts';
import { countOutgoingSockets, httpReceiver, httpsReceiver, makeCertificate, nothing } from './receivers.ts';

/** Downloads, and wants that nothing came of it. @returns why */
async function aDownloader(settings: Partial<DownloaderSettings>) {
  const folder = await mkdtemp(join(tmpdir(), 'tapedeck-hostile-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const download = createDownloader({
    ...{ allowedNetworks: nothing, connectTimeoutMs: 1_000, idleTimeoutMs: 1_000 },
    lookup: () => Promise.reject(new Error('nothing may be looked up')),
    ...settings,
  });
  const limits = { maxBytes: 1_000, timeoutMs: 5_000, signal: new AbortController().signal };
  return async (url: string): Promise<DownloadProblem['kind'] | 'downloaded'> => {
    const kind = await download(url, { ...limits, path: join(folder, 'media') }).then(
      () => 'downloaded' as const,
      (error: unknown) => (error as { problem: DownloadProblem }).problem.kind,
    );
    expect(await readdir(folder), url).toEqual([]);
    return kind;
  };
}

describe.each(['http', 'https'] as const)('media over %s', (protocol) => {
  async function serve(listener: RequestListener) {
    const certificate = await makeCertificate();
    const server = protocol === 'http' ? await httpReceiver(listener) : await httpsReceiver(certificate, listener);
    return { server, trustedCa: certificate.cert };
  }
  const media: RequestListener = (_, answer) => answer.end('the secret of a neighbour');

  it('are not fetched from a hostile URL, and no socket is opened', async () => {
    const { server, trustedCa } = await serve(media);
    const attempt = await aDownloader({ trustedCa });
    const sockets = countOutgoingSockets();
    const urls = hostileTargets(server.port);
    expect(urls.length).toBeGreaterThan(400);
    for (const url of urls) expect(await attempt(url), url).toBe('forbidden');
    expect(sockets()).toBe(0);
    expect(server.connections()).toBe(0);
  });

  it('are not fetched through a redirect to a hostile URL', async () => {
    const { server: canary } = await serve(media);
    // 127.0.0.9 plays a public host, the only one allowed. Its last redirect goes elsewhere.
    const onlyOne = new BlockList();
    onlyOne.addAddress('127.0.0.9');
    const targets = hostileHosts.map(
      (host, index) => `${index % 2 === 0 ? 'http' : 'https'}://${host}:${canary.port}/`,
    );
    const { server, trustedCa } = await serve((request, answer) => {
      const location = targets[Number(request.url?.slice(1))] ?? '';
      // As a server sends them: bytes, whatever they mean.
      answer.writeHead(302, { location: Buffer.from(location).toString('latin1') }).end();
    });
    // The certificate names 127.0.0.1 and a host, not 127.0.0.9.
    const lookup = (name: string) =>
      name === 'hook.example.com' ? Promise.resolve(['127.0.0.9']) : Promise.reject(new Error('not looked up'));
    const attempt = await aDownloader({ allowedNetworks: onlyOne, trustedCa, lookup });
    for (const [index, target] of targets.entries()) {
      const kind = await attempt(`${protocol}://hook.example.com:${server.port}/${index}`);
      // Bytes beyond ASCII arrive as other letters, and then as a name that nobody has.
      expect(/^[\x20-\x7e]+$/.test(target) ? ['forbidden'] : ['forbidden', 'unreachable'], target).toContain(kind);
    }
    expect(server.connections()).toBe(targets.length);
    expect(canary.connections()).toBe(0);
  });

  it('are not fetched through names, whatever their name servers return', async () => {
    const { server, trustedCa } = await serve(media);
    for (const answer of hostileAnswers) {
      const attempt = await aDownloader({ trustedCa, lookup: () => Promise.resolve(answer) });
      expect(await attempt(`${protocol}://cdn.example.com:${server.port}/`), String(answer)).toBe('forbidden');
    }
    expect(server.connections()).toBe(0);
  });
});
