import { createServer, type AddressInfo, type Socket } from 'node:net';
import { once } from 'node:events';
import { Readable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it, vi } from 'vitest';
import { httpReceiver, scriptedReceiver, tcpReceiver } from '../receivers.ts';
import { testClient } from './test-client.ts';

const message = { headers: { 'content-type': 'application/json' }, body: '{"id":"ü"}' };

describe('a request to a receiver', () => {
  it('has the given body and headers, and the length of the body', async () => {
    const seen = vi.fn();
    const receiver = await httpReceiver((request, answer) => {
      let body = '';
      request.setEncoding('utf8').on('data', (text: string) => (body += text));
      request.on('end', () => {
        seen({
          method: request.method,
          url: request.url,
          version: request.httpVersion,
          headers: request.headers,
          body,
        });
        answer.writeHead(204, { 'set-cookie': 'a=b' }).end();
      });
    });
    const client = testClient();
    const headers = {
      'Content-Type': 'application/json',
      'User-Agent': 'Service-Webhook/1.0',
      'X-Webhook-Endpoint': 'downloads/audio',
    };
    for (let times = 0; times < 2; times++) {
      expect(
        await client.post(`http://127.0.0.1:${receiver.port}/hook?a=b#fragment`, { headers, body: message.body }),
      ).toMatchObject({ kind: 'answered', statusCode: 204 });
    }
    expect(seen).toHaveBeenCalledTimes(2);
    for (const [request] of seen.mock.calls) {
      expect(request).toEqual({
        method: 'POST',
        url: '/hook?a=b',
        version: '1.1',
        body: message.body,
        headers: {
          host: `127.0.0.1:${receiver.port}`,
          connection: 'close',
          'content-length': String(Buffer.byteLength(message.body)),
          'content-type': 'application/json',
          'user-agent': 'Service-Webhook/1.0',
          'x-webhook-endpoint': 'downloads/audio',
        },
      });
    }
    expect(receiver.connections()).toBe(2);
  });

  it.each([200, 16_000_000])('announces the length of a body that is generated in chunks of %i bytes', async (size) => {
    const seen = vi.fn();
    const receiver = await httpReceiver((request, answer) => {
      let bytes = 0;
      request.on('data', (chunk: Buffer) => (bytes += chunk.length));
      request.on('end', () => {
        seen(bytes, request.headers['content-length'], request.headers['transfer-encoding']);
        answer.end();
      });
    });
    const body = { bytes: size, chunks: Readable.from(Array<string>(4).fill('ü'.repeat(size / 8))) };
    expect(await testClient().post(`http://127.0.0.1:${receiver.port}/`, { ...message, body })).toMatchObject({
      statusCode: 200,
    });
    expect(seen).toHaveBeenCalledExactlyOnceWith(size, String(size), undefined);
  });

  it('fails if the body has another length than announced', async () => {
    const receiver = await httpReceiver((request, answer) => request.resume().on('end', () => answer.end()));
    for (const bytes of [3, 5]) {
      const body = { bytes, chunks: Readable.from(['ab', 'cd']) };
      const post = testClient().post(`http://127.0.0.1:${receiver.port}/`, { ...message, body });
      await expect(post).rejects.toMatchObject({ code: 'UND_ERR_REQ_CONTENT_LENGTH_MISMATCH' });
    }
  });

  it.each([
    ['a line break in a value', { 'x-a': 'b\r\nX-Injected: 1' }],
    ['a bare line feed in a value', { 'x-a': 'b\nc' }],
    ['a NUL in a value', { 'x-a': 'b\u0000' }],
    ['a letter outside Latin-1 in a value', { 'x-a': '嘊嘍' }],
    ['a line break in a name', { 'x-a\r\nX-Injected': '1' }],
    ['a colon in a name', { 'x:a': '1' }],
    ['an empty name', { '': '1' }],
    ['its own length', { 'Content-Length': '1' }],
    ['a transfer coding', { 'transfer-encoding': 'chunked' }],
    ['another host', { Host: '169.254.169.254' }],
    ['a connection header', { connection: 'upgrade' }],
    ['an upgrade', { upgrade: 'h2c' }],
  ])('never is %s: that throws before anything is sent', async (_, headers) => {
    const receiver = await httpReceiver((__, answer) => answer.end());
    await expect(testClient().post(`http://127.0.0.1:${receiver.port}/`, { headers, body: '' })).rejects.toThrow(
      TypeError,
    );
    expect(receiver.connections()).toBe(0);
  });
});

describe('a response', () => {
  it.each([200, 201, 202, 204, 304, 400, 404, 410, 429, 500, 503])(
    'with status %i is reported with its status',
    async (statusCode) => {
      const receiver = await httpReceiver((_, answer) => answer.writeHead(statusCode).end());
      expect(await testClient().post(`http://127.0.0.1:${receiver.port}/`, message)).toEqual({
        kind: 'answered',
        statusCode,
        durationMs: expect.any(Number) as number,
      });
    },
  );

  it('is not decompressed, so that a bomb does no harm', async () => {
    const receiver = await scriptedReceiver(
      'HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 9\r\n\r\nnot gzip!',
    );
    expect(await testClient().post(`http://127.0.0.1:${receiver.port}/`, message)).toMatchObject({
      kind: 'answered',
      statusCode: 200,
    });
  });

  it('is read up to the limit, and then the connection is closed', async () => {
    let receiver: { socket: Socket; sentBytes: number } | undefined;
    const chunk = Buffer.alloc(65_536, 'x');
    const endless = await tcpReceiver((socket) => {
      const state = (receiver = { socket, sentBytes: 0 });
      const pump = (): void => {
        while (!socket.destroyed) {
          state.sentBytes += chunk.length;
          if (!socket.write(chunk)) return;
        }
      };
      socket.once('data', () => {
        socket.write('HTTP/1.1 200 OK\r\n\r\n');
        socket.on('drain', pump);
        pump();
      });
    });
    const before = process.memoryUsage().arrayBuffers;
    const client = testClient({ maxResponseBytes: 65_536, timeoutMs: 60_000 });
    const outcome = await client.post(`http://127.0.0.1:${endless.port}/`, message);
    expect(outcome).toMatchObject({ kind: 'answered', statusCode: 200 });
    expect(outcome.durationMs).toBeLessThan(30_000);
    await expect.poll(() => receiver!.socket.destroyed).toBe(true);
    // What both ends' socket buffers hold is sent in any case.
    expect(receiver!.sentBytes).toBeLessThan(16 * 1024 ** 2);
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(32 * 1024 ** 2);
  });

  it('counts even if its body does not end within the time limit', async () => {
    const trickling = await scriptedReceiver('HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n', (socket) => {
      const timer = setInterval(() => socket.write('x'), 20);
      socket.on('close', () => clearInterval(timer));
    });
    const outcome = await testClient({ timeoutMs: 300 }).post(`http://127.0.0.1:${trickling.port}/`, message);
    expect(outcome).toMatchObject({ kind: 'answered', statusCode: 200 });
    expect(outcome.durationMs).toBeGreaterThanOrEqual(290);
    expect(outcome.durationMs).toBeLessThan(20_000);
  });

  it('counts even if its body is cut off', async () => {
    const receiver = await scriptedReceiver('HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\nabc', (socket) =>
      socket.end(),
    );
    expect(await testClient().post(`http://127.0.0.1:${receiver.port}/`, message)).toMatchObject({
      kind: 'answered',
      statusCode: 200,
    });
  });
});

describe('a receiver without a response', () => {
  it('times out if it is silent', async () => {
    const silent = await tcpReceiver(() => undefined);
    const outcome = await testClient({ timeoutMs: 200 }).post(`http://127.0.0.1:${silent.port}/`, message);
    expect(outcome).toMatchObject({ kind: 'unreachable', error: 'timeout' });
    expect(outcome.durationMs).toBeGreaterThanOrEqual(190);
    expect(outcome.durationMs).toBeLessThan(20_000);
  });

  it('times out if its headers arrive slowly, and the connection is closed', async () => {
    let closed = false;
    const trickling = await scriptedReceiver('HTTP/1.1 200 OK\r\nX-Slow: ', (socket) => {
      const timer = setInterval(() => socket.write('x'), 20);
      socket.on('close', () => {
        closed = true;
        clearInterval(timer);
      });
    });
    expect(await testClient({ timeoutMs: 300 }).post(`http://127.0.0.1:${trickling.port}/`, message)).toMatchObject({
      kind: 'unreachable',
      error: 'timeout',
    });
    await expect.poll(() => closed).toBe(true);
  });

  it('times out if its interim responses do not end', async () => {
    const receiver = await scriptedReceiver('HTTP/1.1 103 Early Hints\r\n\r\n', (socket) => {
      const timer = setInterval(() => socket.write('HTTP/1.1 103 Early Hints\r\n\r\n'), 20);
      socket.on('close', () => clearInterval(timer));
    });
    expect(await testClient({ timeoutMs: 300 }).post(`http://127.0.0.1:${receiver.port}/`, message)).toMatchObject({
      kind: 'unreachable',
      error: 'timeout',
    });
  });

  it('times out during the TLS handshake, and the connection is closed', async () => {
    let closed = false;
    const silent = await tcpReceiver((socket) => socket.resume().on('close', () => (closed = true)));
    const outcome = await testClient({ timeoutMs: 60_000, connectTimeoutMs: 200 }).post(
      `https://127.0.0.1:${silent.port}/`,
      message,
    );
    expect(outcome).toMatchObject({ kind: 'unreachable', error: 'timeout' });
    expect(outcome.durationMs).toBeLessThan(30_000);
    await expect.poll(() => closed).toBe(true);
  });

  it('times out if the name server is silent', async () => {
    const client = testClient({ connectTimeoutMs: 200, lookup: () => new Promise(() => undefined) });
    expect(await client.post('http://hook.example.com/', message)).toMatchObject({
      kind: 'unreachable',
      error: 'timeout',
    });
  });

  it.each([
    ['fails', () => Promise.reject(Object.assign(new Error('queryA ENOTFOUND'), { code: 'ENOTFOUND' }))],
    ['finds nothing', () => Promise.resolve([])],
  ])('is reported as dns when the look-up %s', async (_, lookup) => {
    expect(await testClient({ lookup }).post('http://hook.example.com/', message)).toMatchObject({
      kind: 'unreachable',
      error: 'dns',
    });
  });

  it('is reported as refused if nothing listens on the port', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    server.close();
    await once(server, 'close');
    expect(await testClient().post(`http://127.0.0.1:${port}/`, message)).toMatchObject({
      kind: 'unreachable',
      error: 'refused',
    });
    expect(
      await testClient({ lookup: () => Promise.resolve(['127.0.0.1', '::1']) }).post(
        `http://hook.example.com:${port}/`,
        message,
      ),
    ).toMatchObject({ kind: 'unreachable', error: 'refused' });
  });

  it.each([
    ['resets the connection', (socket: Socket) => socket.resetAndDestroy()],
    ['closes it silently', (socket: Socket) => socket.end()],
  ])('is reported as reset when it %s', async (_, end) => {
    const receiver = await tcpReceiver((socket) => void socket.once('data', () => end(socket)));
    expect(await testClient().post(`http://127.0.0.1:${receiver.port}/`, message)).toMatchObject({
      kind: 'unreachable',
      error: 'reset',
    });
  });

  it('is reported as reset, and not as forbidden, if it resets the connection at once', async () => {
    const receiver = await tcpReceiver((socket) => socket.resetAndDestroy());
    const client = testClient();
    for (let times = 0; times < 30; times++) {
      expect(await client.post(`http://127.0.0.1:${receiver.port}/`, message)).toMatchObject({ error: 'reset' });
      expect(await client.post(`https://127.0.0.1:${receiver.port}/`, message)).toMatchObject({ error: 'reset' });
    }
  });

  it.each([
    ['garbage', '\u0000\u0001 not HTTP at all\r\n\r\n'],
    ['the greeting of another protocol', 'SSH-2.0-OpenSSH_9.2p1\r\n'],
    [
      'headers beyond the limit',
      `HTTP/1.1 200 OK\r\n${'X-Filler: aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\r\n'.repeat(1_000)}\r\n`,
    ],
    ['two lengths', 'HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab'],
  ])('is reported as protocol when it sends %s', async (_, bytes) => {
    const receiver = await scriptedReceiver(bytes);
    expect(await testClient().post(`http://127.0.0.1:${receiver.port}/`, message)).toMatchObject({
      kind: 'unreachable',
      error: 'protocol',
    });
  });
});

it('does not switch protocols if a receiver requests it', async () => {
  const receiver = await scriptedReceiver(
    'HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n',
  );
  const outcome = await testClient({ timeoutMs: 300 }).post(`http://127.0.0.1:${receiver.port}/`, message);
  expect(outcome).toMatchObject({ kind: 'unreachable' });
});

describe('the client', () => {
  it.each(['before', 'while connecting', 'while waiting for the response'])(
    'rejects with the reason of the signal when aborted %s',
    async (moment) => {
      let closed = false;
      const silent = await tcpReceiver((socket) => socket.resume().on('close', () => (closed = true)));
      const controller = new AbortController();
      const reason = new Error('the activity was cancelled');
      const lookup =
        moment === 'while connecting'
          ? () => new Promise<string[]>(() => undefined)
          : () => Promise.resolve(['127.0.0.1']);
      if (moment === 'before') controller.abort(reason);
      const post = testClient({ lookup }).post(`http://hook.example.com:${silent.port}/`, {
        ...message,
        signal: controller.signal,
      });
      const rejected = expect(post).rejects.toBe(reason);
      if (moment === 'while waiting for the response') await expect.poll(() => silent.connections()).toBe(1);
      controller.abort(reason);
      await rejected;
      if (moment === 'while waiting for the response') await expect.poll(() => closed).toBe(true);
      else expect(silent.connections()).toBe(0);
    },
  );

  it('ends the running requests when it is closed, and accepts no more', async () => {
    const silent = await tcpReceiver(() => undefined);
    const client = testClient();
    const post = client.post(`http://127.0.0.1:${silent.port}/`, message);
    const rejected = expect(post).rejects.toThrow('the webhook client is closed');
    await expect.poll(() => silent.connections()).toBe(1);
    client.close();
    await rejected;
    await expect(client.post(`http://127.0.0.1:${silent.port}/`, message)).rejects.toThrow(
      'the webhook client is closed',
    );
  });

  it('leaves no listeners on a signal that outlives many requests', async () => {
    const receiver = await httpReceiver((_, answer) => answer.end());
    const { signal } = new AbortController();
    const added = vi.spyOn(signal, 'addEventListener');
    const removed = vi.spyOn(signal, 'removeEventListener');
    const client = testClient();
    for (let times = 0; times < 3; times++)
      await client.post(`http://127.0.0.1:${receiver.port}/`, { ...message, signal });
    expect(added).toHaveBeenCalledTimes(3);
    expect(removed).toHaveBeenCalledTimes(3);
  });
});

it('is not delayed by 1,000 requests to receivers that hang', async () => {
  const silent = await tcpReceiver(() => undefined);
  const healthy = await httpReceiver((_, answer) => answer.end());
  const client = testClient({ timeoutMs: 60_000, connectTimeoutMs: 60_000 });
  const hanging = Array.from({ length: 1_000 }, () => client.post(`http://127.0.0.1:${silent.port}/`, message));
  const settled = Promise.allSettled(hanging);
  await expect.poll(() => silent.connections()).toBe(1_000);
  const outcome = await client.post(`http://127.0.0.1:${healthy.port}/`, message);
  expect(outcome).toMatchObject({ kind: 'answered', statusCode: 200 });
  expect(outcome.durationMs).toBeLessThan(20_000);
  expect(await Promise.race([settled, delay(0, 'still hanging')])).toBe('still hanging');
  client.close();
  expect(
    (await settled).every(
      (result) => result.status === 'rejected' && String(result.reason).includes('the webhook client is closed'),
    ),
  ).toBe(true);
});
