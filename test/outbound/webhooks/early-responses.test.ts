import type { RequestListener } from 'node:http';
import { Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { httpReceiver, httpsReceiver, makeCertificate, scriptedReceiver, tcpReceiver } from '../receivers.ts';
import { testClient } from './test-client.ts';

const message = { headers: {}, body: '{}' };

const INTERIM = {
  '100 Continue': '',
  '101 Switching Protocols': 'Upgrade: websocket\r\nConnection: Upgrade\r\n',
  '102 Processing': '',
  '103 Early Hints': 'Link: </a.css>; rel=preload\r\n',
  '199 Anything': 'X-A: b\r\n',
};
const FINAL = 'HTTP/1.1 204 No Content\r\n\r\n';
const interim = Object.entries(INTERIM).map(([status, headers]) => `HTTP/1.1 ${status}\r\n${headers}\r\n`);

describe('an interim response that was not requested', () => {
  it.each([...interim, interim[0]?.repeat(3) ?? '', interim.join('')])('is skipped: %j', async (bytes) => {
    const receiver = await scriptedReceiver(`${bytes}${FINAL}`);
    expect(await testClient().post(`http://127.0.0.1:${receiver.port}/`, message)).toMatchObject({ statusCode: 204 });
  });

  it.each([
    ['HTTP/1.0', 'HTTP/1.0 100 Continue\r\n\r\nHTTP/1.0 200 OK\r\n\r\nok'],
    ['many', `HTTP/1.1 103 Early Hints\r\nLink: ${'x'.repeat(2_000)}\r\n\r\n`.repeat(50) + FINAL],
    ['headers of a body', 'HTTP/1.1 100 Continue\r\nContent-Length: 0\r\nConnection: close\r\n\r\n' + FINAL],
    ['no reason', 'HTTP/1.1 100\r\n\r\nHTTP/1.1 200\r\n\r\n'],
    ['an empty line between', 'HTTP/1.1 102 Processing\r\n\r\n\r\n' + FINAL],
  ])('is skipped with %s', async (_, bytes) => {
    const receiver = await scriptedReceiver(bytes, (socket) => socket.end());
    const outcome = await testClient().post(`http://127.0.0.1:${receiver.port}/`, message);
    expect('statusCode' in outcome ? outcome.statusCode : 0).toBeGreaterThanOrEqual(200);
  });

  it('is skipped in whatever pieces it arrives', async () => {
    const receiver = await tcpReceiver((socket) => {
      const letters = (interim.join('') + FINAL).split('');
      const next = (): void => {
        if (letters.length > 0) socket.write(letters.shift() ?? '', next);
      };
      socket.setNoDelay(true).once('data', next);
    });
    expect(await testClient().post(`http://127.0.0.1:${receiver.port}/`, message)).toMatchObject({ statusCode: 204 });
  });

  it.each(['HTTP/1.1 100 Continue\r\n\r\n', 'HTTP/1.1 100 Cont', 'HT'])('is no status: %j', async (bytes) => {
    const receiver = await scriptedReceiver(bytes, (socket) => socket.end());
    expect(await testClient().post(`http://127.0.0.1:${receiver.port}/`, message)).toMatchObject({
      kind: 'unreachable',
    });
  });
});

describe.each(['http', 'https'] as const)('a receiver by %s that answers before it has read the body', (protocol) => {
  const EARLY = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok';
  it.each([
    ['one text', () => 'x'.repeat(40_000_000)],
    ['chunks', () => ({ bytes: 40_000_000, chunks: Readable.from(Array<string>(400).fill('x'.repeat(100_000))) })],
  ])('and closes has its status counted, for a body of %s', async (_, body) => {
    const certificate = await makeCertificate();
    const answer: RequestListener = (request) => {
      request.socket.write(EARLY, () => request.socket.destroy());
    };
    const receiver = protocol === 'http' ? await httpReceiver(answer) : await httpsReceiver(certificate, answer);
    const client = testClient({ trustedCa: certificate.cert });
    const url = `${protocol}://127.0.0.1:${receiver.port}/`;
    for (let times = 0; times < 20; times++) {
      expect(await client.post(url, { ...message, body: body() })).toMatchObject({ statusCode: 200 });
    }
  });

  it('is reported as reset if it closes without an answer', async () => {
    const certificate = await makeCertificate();
    const close: RequestListener = (request) => void request.socket.destroy();
    const receiver = protocol === 'http' ? await httpReceiver(close) : await httpsReceiver(certificate, close);
    const client = testClient({ trustedCa: certificate.cert });
    const outcome = await client.post(`${protocol}://127.0.0.1:${receiver.port}/`, {
      ...message,
      body: 'x'.repeat(40_000_000),
    });
    expect(outcome).toMatchObject({ kind: 'unreachable', error: 'reset' });
  });
});
