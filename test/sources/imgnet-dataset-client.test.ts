import type { RequestListener } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import {
  createDatasetClient,
  NotBegunError,
  type DatasetClient,
  type DatasetClientSettings,
  type DatasetRequest,
} from '../../sources/imgnet/dataset-client.ts';
import { sourceAt } from '../helpers/imgnet-source.ts';
import { failureOf } from '../helpers/promises.ts';
import { until } from '../helpers/until.ts';
import { httpReceiver, httpsReceiver, makeCertificate, tcpReceiver } from '../outbound/receivers.ts';

const CALL = { signal: new AbortController().signal, timeoutMs: 10_000 };
const POST: DatasetRequest = { method: 'POST', path: '/trigger', json: [{ url: 'x' }] };
const GET: DatasetRequest = { method: 'GET', path: '/progress' };

function clientAt(apiUrl: string, settings: Partial<DatasetClientSettings> = {}): DatasetClient {
  const client = createDatasetClient({ apiUrl, token: 'a-very-secret-token', ...settings });
  onTestFinished(() => client.close());
  return client;
}
const send = (client: DatasetClient, request: DatasetRequest, call = CALL): Promise<string> =>
  client.exchange(request, call).then(({ text }) => text);
const neverSent = async (client: DatasetClient, code: string, call = CALL): Promise<void> => {
  const failure = await failureOf(send(client, POST, call));
  expect(failure).toBeInstanceOf(NotBegunError);
  expect(failure).toMatchObject({ code });
};
const perhapsSent = async (sending: Promise<unknown>, code: string): Promise<void> => {
  const failure = await failureOf(sending);
  expect(failure).not.toBeInstanceOf(NotBegunError);
  expect(failure).toMatchObject({ name: 'JobError', code });
};

describe('a slow reader', () => {
  // Small ones, so that a page ends, and the reader pauses, within the last bytes.
  const ROWS = 15_000;
  const row = (n: number): string => `${JSON.stringify({ post_id: `p${n}`, caption: 'x'.repeat(200) })}\n`;
  const body = Buffer.from(Array.from({ length: ROWS }, (_, n) => row(n)).join(''));

  it.each(['length', 'chunks', 'neither'] as const)(
    'gets all rows from a server that ends the connection before (a body with: %s)',
    async (framing) => {
      const length = framing === 'length' ? { 'content-length': body.length } : {};
      const server = await httpReceiver((_req, res) => {
        if (framing === 'neither') res.useChunkedEncodingByDefault = false;
        res.writeHead(200, { connection: 'close', ...length }).end(body);
      });
      const source = sourceAt(`http://127.0.0.1:${server.port}`);
      onTestFinished(() => source.close());
      const keys: string[] = [];
      for await (const { rows } of source.rows('s_1', CALL)) {
        await pause(20);
        keys.push(...rows.map(({ key }) => key));
      }
      expect(keys).toEqual(Array.from({ length: ROWS }, (_, n) => `p${n}`));
    },
  );

  it('does not cause a timeout of the server', async () => {
    const server = await httpReceiver((_req, res) => res.end(body));
    const client = clientAt(`http://127.0.0.1:${server.port}`, { idleTimeoutMs: 100 });
    let sizeBytes = 0;
    const chunks = client.stream(GET, CALL, (answer) => answer.body);
    for await (const chunk of chunks) {
      if (sizeBytes === 0) await pause(300);
      sizeBytes += chunk.length;
    }
    expect(sizeBytes).toBe(body.length);
  });
});

describe('a request that was never sent', () => {
  it('because the connection is refused', async () => {
    await neverSent(clientAt('http://127.0.0.1:1'), 'upstream_error');
  });

  it('because the name has no address', async () => {
    // Too long for a question to a name server.
    await neverSent(clientAt(`http://${'x'.repeat(64)}.example`), 'upstream_error');
  });

  it('because the certificate is not trusted or has another name', async () => {
    const listener = vi.fn<RequestListener>();
    const certificate = await makeCertificate();
    const server = await httpsReceiver(certificate, listener);
    await neverSent(clientAt(`https://127.0.0.1:${server.port}`), 'upstream_error');
    const named = clientAt(`https://localhost:${server.port}`, { trustedCa: certificate.cert });
    await neverSent(named, 'upstream_error');
    expect(server.connections()).toBeGreaterThanOrEqual(2);
    expect(listener).not.toHaveBeenCalled();
  });

  it('because the server does not speak TLS or closes the connection', async () => {
    const plain = await httpReceiver((_req, res) => res.end());
    await neverSent(clientAt(`https://127.0.0.1:${plain.port}`), 'upstream_error');
    const rude = await tcpReceiver((socket) => socket.once('data', () => socket.resetAndDestroy()));
    await neverSent(clientAt(`https://127.0.0.1:${rude.port}`), 'upstream_error');
  });

  it('because there was no connection in time', async () => {
    const silent = await tcpReceiver(() => undefined);
    const url = `https://127.0.0.1:${silent.port}`;
    await neverSent(clientAt(url, { connectTimeoutMs: 100 }), 'upstream_timeout');
    await neverSent(clientAt(url), 'upstream_timeout', { ...CALL, timeoutMs: 100 });
  });
});

describe('it is unknown whether a request arrived', () => {
  it('when the connection breaks', async () => {
    const server = await tcpReceiver((socket) => socket.once('data', () => socket.resetAndDestroy()));
    await perhapsSent(send(clientAt(`http://127.0.0.1:${server.port}`), POST), 'upstream_error');
  });

  it('when the answer is not HTTP, or its head too large', async () => {
    for (const bytes of ['220 mail.example\r\n', `HTTP/1.1 200 OK\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`]) {
      const server = await tcpReceiver((socket) => socket.once('data', () => socket.end(bytes)));
      await perhapsSent(send(clientAt(`http://127.0.0.1:${server.port}`), POST), 'upstream_error');
    }
  });

  it('when the answer is missing or incomplete', async () => {
    const silent = await httpReceiver(() => undefined);
    const url = `http://127.0.0.1:${silent.port}`;
    await perhapsSent(send(clientAt(url, { idleTimeoutMs: 100 }), POST), 'upstream_timeout');
    await perhapsSent(send(clientAt(url), POST, { ...CALL, timeoutMs: 100 }), 'upstream_timeout');
    const halting = await httpReceiver((_req, res) => void res.write('{'));
    const client = clientAt(`http://127.0.0.1:${halting.port}`, { idleTimeoutMs: 100 });
    await perhapsSent(send(client, POST), 'upstream_timeout');
  });

  it('when the client is closed', async () => {
    const listener = vi.fn<RequestListener>();
    const server = await httpReceiver(listener);
    const client = clientAt(`http://127.0.0.1:${server.port}`);
    const ending = perhapsSent(send(client, POST), 'upstream_error');
    await until(() => listener.mock.calls.length === 1);
    await client.close();
    await ending;
    await neverSent(client, 'upstream_error');
  });
});

it('reuses connections for GET, over TLS too, and opens a new one for each POST', async () => {
  const certificate = await makeCertificate();
  const server = await httpsReceiver(certificate, (req, res) => {
    req.pipe(res);
  });
  const client = clientAt(`https://127.0.0.1:${server.port}/`, { trustedCa: certificate.cert });
  for (let n = 1; n <= 3; n += 1) expect(await send(client, GET)).toBe('');
  expect(server.connections()).toBe(1);
  for (let n = 2; n <= 4; n += 1) {
    expect(await send(client, POST)).toBe('[{"url":"x"}]');
    expect(server.connections()).toBe(n);
  }
});

it.each([GET, POST])('opens at most eight connections, and further requests wait (%j)', async (request) => {
  const held: (() => void)[] = [];
  const server = await httpReceiver((_req, res) => void held.push(() => res.end('done')));
  const client = clientAt(`http://127.0.0.1:${server.port}`);
  const stop = new AbortController();
  const sending = Array.from({ length: 12 }, () =>
    send(client, request, { ...CALL, signal: new AbortController().signal }),
  );
  const waiting = failureOf(send(client, request, { ...CALL, signal: stop.signal }));
  await until(() => held.length === 8);
  expect(server.connections()).toBe(8);
  const reason = new Error('the worker stops');
  stop.abort(reason);
  expect(await waiting).toBe(reason);
  held.splice(0).forEach((answer) => answer());
  await until(() => held.length === 4);
  held.splice(0).forEach((answer) => answer());
  expect(await Promise.all(sending)).toEqual(Array.from({ length: 12 }, () => 'done'));
});
