import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import type { RequestListener } from 'node:http';
import { BlockList } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { createDownloader, type DownloaderSettings, type DownloadOptions } from '../../outbound/download.ts';
import {
  httpReceiver,
  httpsReceiver,
  loopback,
  makeCertificate,
  nothing,
  scriptedReceiver,
  tcpReceiver,
} from './receivers.ts';

const MEDIA = Buffer.from('x'.repeat(200_000));
const ok: RequestListener = (_, answer) => answer.writeHead(200, { 'content-length': MEDIA.length }).end(MEDIA);

interface Attempt {
  readonly url: string;
  readonly settings?: Partial<DownloaderSettings>;
  readonly options?: Partial<DownloadOptions>;
}

async function newPath(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'tapedeck-download-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return join(folder, 'media');
}

async function attempt({ url, settings, options }: Attempt): Promise<{ sizeBytes: number; path: string }> {
  const path = await newPath();
  const download = createDownloader({
    ...{ allowedNetworks: loopback, connectTimeoutMs: 1_000, idleTimeoutMs: 500 },
    ...settings,
  });
  const limits = { maxBytes: 1_000_000, timeoutMs: 5_000, signal: new AbortController().signal };
  return { ...(await download(url, { ...limits, path, ...options })), path };
}

const problem = (kind: string, more: object = {}): object =>
  expect.objectContaining({
    name: 'DownloadError',
    problem: expect.objectContaining({ kind, ...more }) as object,
  }) as object;

describe('a download', () => {
  it('writes the whole body and reports its progress', async () => {
    const server = await httpReceiver(ok);
    const onProgress = vi.fn();
    const { sizeBytes, path } = await attempt({
      url: `http://127.0.0.1:${server.port}/a.mp4`,
      options: { onProgress },
    });
    expect(sizeBytes).toBe(MEDIA.length);
    expect((await readFile(path)).equals(MEDIA)).toBe(true);
    expect(onProgress).toHaveBeenLastCalledWith(MEDIA.length, MEDIA.length);
  });

  it('accepts a chunked body, whose end is marked', async () => {
    const server = await httpReceiver((_, answer) => {
      answer.write('half');
      answer.end('whole');
    });
    expect(await attempt({ url: `http://127.0.0.1:${server.port}/` })).toMatchObject({ sizeBytes: 9 });
  });

  it('follows three redirects, with the paths as the servers wrote them', async () => {
    const seen: (string | undefined)[] = [];
    const server = await httpReceiver((request, answer) => {
      seen.push(request.url);
      const step = seen.length;
      if (step === 4) ok(request, answer);
      else answer.writeHead([301, 302, 307][step - 1] ?? 308, { location: `/step${step}?a=%20b` }).end();
    });
    const { sizeBytes } = await attempt({ url: `http://127.0.0.1:${server.port}/start` });
    expect(sizeBytes).toBe(MEDIA.length);
    expect(seen).toEqual(['/start', '/step1?a=%20b', '/step2?a=%20b', '/step3?a=%20b']);
  });

  it.each([403, 404, 410, 206, 204, 500])('fails with the status %i of the response', async (statusCode) => {
    const server = await httpReceiver((_, answer) => answer.writeHead(statusCode).end());
    await expect(attempt({ url: `http://127.0.0.1:${server.port}/` })).rejects.toEqual(
      problem('status', { statusCode }),
    );
  });
});

describe('a hostile server', () => {
  it('cannot redirect to a private address', async () => {
    const canary = await httpReceiver(ok);
    const onlyOne = new BlockList();
    onlyOne.addAddress('127.0.0.2');
    for (const host of ['127.0.0.1', 'localhost', '[::1]', '2130706433', '169.254.169.254', '10.0.0.1']) {
      const server = await httpReceiver((_, answer) =>
        answer.writeHead(302, { location: `http://${host}:${canary.port}/` }).end(),
      );
      await expect(
        attempt({ url: `http://127.0.0.2:${server.port}/`, settings: { allowedNetworks: onlyOne } }),
        host,
      ).rejects.toEqual(problem('forbidden'));
    }
    expect(canary.connections()).toBe(0);
  });

  it.each(['file:///etc/passwd', 'ftp://example.com/', 'data:text/plain,hi', 'http://user:pw@example.com/'])(
    'cannot redirect to %s',
    async (location) => {
      const server = await httpReceiver((_, answer) => answer.writeHead(302, { location }).end());
      await expect(attempt({ url: `http://127.0.0.1:${server.port}/` })).rejects.toEqual(problem('forbidden'));
    },
  );

  it('cannot redirect forever', async () => {
    const server = await httpReceiver((_, answer) => answer.writeHead(302, { location: '/' }).end());
    await expect(attempt({ url: `http://127.0.0.1:${server.port}/` })).rejects.toEqual(problem('forbidden'));
    expect(server.connections()).toBe(4);
  });

  it('is not reached by a name that resolves to a private address, nor by one that does so the second time', async () => {
    const server = await httpReceiver(ok);
    const url = `http://cdn.example.com:${server.port}/`;
    await expect(
      attempt({ url, settings: { allowedNetworks: nothing, lookup: () => Promise.resolve(['127.0.0.1']) } }),
    ).rejects.toEqual(problem('forbidden'));
    // 127.0.0.2 plays the public address: the only one allowed.
    const onlyOne = new BlockList();
    onlyOne.addAddress('127.0.0.2');
    const redirecting = await httpReceiver((_, answer) => answer.writeHead(302, { location: url }).end());
    const lookup = vi
      .fn<(name: string) => Promise<string[]>>()
      .mockResolvedValueOnce(['127.0.0.2'])
      .mockResolvedValue(['127.0.0.1']);
    await expect(
      attempt({
        url: `http://cdn.example.com:${redirecting.port}/`,
        settings: { allowedNetworks: onlyOne, lookup },
      }),
    ).rejects.toEqual(problem('forbidden'));
    expect(lookup).toHaveBeenCalledTimes(2);
    expect(server.connections()).toBe(0);
  });

  it('cannot announce more than the limit', async () => {
    const server = await httpReceiver((_, answer) =>
      answer.writeHead(200, { 'content-length': 10_000 }).flushHeaders(),
    );
    await expect(attempt({ url: `http://127.0.0.1:${server.port}/`, options: { maxBytes: 9_999 } })).rejects.toEqual(
      problem('too_large'),
    );
  });

  it('cannot delay a job by sending a byte now and then', async () => {
    const server = await httpReceiver((_, answer) => {
      answer.writeHead(200, { 'content-length': 1_000 });
      const timer = setInterval(() => answer.write('x'), 20);
      answer.on('close', () => clearInterval(timer));
    });
    const settings = { minimumRate: { bytes: 500, windowMs: 300 } };
    await expect(attempt({ url: `http://127.0.0.1:${server.port}/`, settings })).rejects.toEqual(
      problem('unreachable', { error: 'timeout' }),
    );
  });

  it('cannot send forever', async () => {
    const server = await httpReceiver((_, answer) => {
      const more = (): void => {
        while (!answer.destroyed && answer.write(MEDIA));
        if (!answer.destroyed) answer.once('drain', more);
      };
      more();
    });
    const path = await newPath();
    await expect(
      attempt({ url: `http://127.0.0.1:${server.port}/`, options: { path, maxBytes: 500_000 } }),
    ).rejects.toEqual(problem('too_large'));
    expect((await stat(path)).size).toBeLessThanOrEqual(500_000);
  });

  it('cannot pass off half a file as the whole', async () => {
    const half = await scriptedReceiver('HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf', (socket) => socket.end());
    await expect(attempt({ url: `http://127.0.0.1:${half.port}/` })).rejects.toEqual(problem('incomplete'));
    const cut = await scriptedReceiver('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nhalf\r\n', (socket) =>
      socket.end(),
    );
    await expect(attempt({ url: `http://127.0.0.1:${cut.port}/` })).rejects.toEqual(problem('incomplete'));
  });

  it('may be cut off without a sign if the answer has no length', async () => {
    const untold = await scriptedReceiver('HTTP/1.1 200 OK\r\nConnection: close\r\n\r\nwho knows', (socket) =>
      socket.end(),
    );
    expect(await attempt({ url: `http://127.0.0.1:${untold.port}/` })).toMatchObject({
      ...{ sizeBytes: 9, cameWhole: undefined },
    });
  });

  it('cannot make the client write more than it announced', async () => {
    const server = await scriptedReceiver('HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nhalf and then more');
    const path = await newPath();
    await attempt({ url: `http://127.0.0.1:${server.port}/`, options: { path } }).catch((error: unknown) =>
      expect(error).toEqual(problem('incomplete')),
    );
    expect((await stat(path)).size).toBeLessThanOrEqual(4);
  });

  it('cannot send a compressed body, whose length cannot be verified', async () => {
    const server = await httpReceiver((_, answer) =>
      answer.writeHead(200, { 'content-encoding': 'gzip', 'content-length': 4 }).end('zzzz'),
    );
    await expect(attempt({ url: `http://127.0.0.1:${server.port}/` })).rejects.toEqual(
      problem('unreachable', { error: 'protocol' }),
    );
  });

  it('cannot hang before or within its response', async () => {
    const silent = await tcpReceiver(() => undefined);
    await expect(attempt({ url: `http://127.0.0.1:${silent.port}/` })).rejects.toEqual(
      problem('unreachable', { error: 'timeout' }),
    );
    const stalled = await scriptedReceiver('HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf');
    await expect(attempt({ url: `http://127.0.0.1:${stalled.port}/` })).rejects.toEqual(
      problem('unreachable', { error: 'timeout' }),
    );
  });

  it('cannot send slowly beyond the limit of the whole download', async () => {
    const server = await httpReceiver((_, answer) => {
      answer.writeHead(200, { 'content-length': 1_000_000 });
      const timer = setInterval(() => answer.write('.'), 20);
      answer.on('close', () => clearInterval(timer));
    });
    await expect(attempt({ url: `http://127.0.0.1:${server.port}/`, options: { timeoutMs: 300 } })).rejects.toEqual(
      problem('too_slow'),
    );
  });

  it('cannot send just above the least rate without a time limit', async () => {
    const server = await httpReceiver((_, answer) => {
      answer.writeHead(200, { 'content-length': 1_000_000 });
      const timer = setInterval(() => answer.write('x'.repeat(100)), 20);
      answer.on('close', () => clearInterval(timer));
    });
    const minimumRate = { bytes: 500, windowMs: 300, overall: { bytesPerSecond: 50_000, afterMs: 900 } };
    const startedMs = performance.now();
    await expect(attempt({ url: `http://127.0.0.1:${server.port}/`, settings: { minimumRate } })).rejects.toEqual(
      problem('too_slow'),
    );
    expect(performance.now() - startedMs).toBeGreaterThan(900);
  });
});

it.each([true, false])(
  'survives a host that closes the connection while the file is still being written (with a length: %s)',
  async (hasLength) => {
    const body = Buffer.alloc(3_000_000, 'x');
    const head = hasLength ? `Content-Length: ${body.length}` : 'Transfer-Encoding: chunked';
    const chunked = Buffer.concat([Buffer.from(`${body.length.toString(16)}\r\n`), body, Buffer.from('\r\n0\r\n\r\n')]);
    const server = await tcpReceiver((socket) => {
      socket.once('data', () => {
        socket.write(`HTTP/1.1 200 OK\r\nConnection: close\r\n${head}\r\n\r\n`);
        socket.end(hasLength ? body : chunked);
      });
    });
    // Everything has arrived, and so has the end, long before it is written.
    const slow = (): void => void Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 10);
    const url = `http://127.0.0.1:${server.port}/`;
    const options = { maxBytes: 10_000_000, onProgress: slow };
    expect((await attempt({ url, options })).sizeBytes).toBe(body.length);
  },
);

it('uses TLS with the name of the host', async () => {
  const certificate = await makeCertificate();
  const server = await httpsReceiver(certificate, ok);
  const settings = { trustedCa: certificate.cert, lookup: () => Promise.resolve(['127.0.0.1']) };
  const from = (host: string) => attempt({ url: `https://${host}:${server.port}/`, settings });
  expect((await from('hook.example.com')).sizeBytes).toBe(MEDIA.length);
  expect((await from('127.0.0.1')).sizeBytes).toBe(MEDIA.length);
  expect((await from('[::1]')).sizeBytes).toBe(MEDIA.length);
  await expect(from('other.example.com')).rejects.toEqual(problem('unreachable', { error: 'tls' }));
});

it('reports a server that does not speak HTTP', async () => {
  const server = await scriptedReceiver('220 mail.example.com ESMTP\r\n');
  await expect(attempt({ url: `http://127.0.0.1:${server.port}/` })).rejects.toEqual(
    problem('unreachable', { error: 'protocol' }),
  );
});

it('fails with the reason of the signal, and closes the connection', async () => {
  const closed = vi.fn();
  const stop = new AbortController();
  const server = await httpReceiver((request, answer) => {
    request.socket.on('close', closed);
    answer.writeHead(200, { 'content-length': 10 }).write('half');
    stop.abort(new Error('enough'));
  });
  await expect(attempt({ url: `http://127.0.0.1:${server.port}/`, options: { signal: stop.signal } })).rejects.toThrow(
    'enough',
  );
  await vi.waitFor(() => expect(closed).toHaveBeenCalled(), 5_000);
});

it('does not report a file that cannot be written as a fault of the server', async () => {
  const server = await httpReceiver(ok);
  const path = join(await newPath(), 'no', 'folder');
  await expect(attempt({ url: `http://127.0.0.1:${server.port}/`, options: { path } })).rejects.toMatchObject({
    code: 'ENOENT',
  });
});
