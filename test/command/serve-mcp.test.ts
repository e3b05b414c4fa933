import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { PassThrough } from 'node:stream';
import { json } from 'node:stream/consumers';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { serveMcp } from '../../command/serve-mcp.ts';
import { until } from '../helpers/until.ts';

interface Message {
  readonly id?: number;
  readonly method?: string;
  readonly error?: { readonly message: string };
}

let server: Server;
let url: string;
/** The messages that the service received, and the streams that the command has closed. */
let received: Message[];
let closed: number[];
beforeEach(async () => {
  [received, closed] = [[], []];
  server = createServer((request, response) => {
    void json(request).then((body) => {
      const message = body as Message;
      received.push(message);
      if (message.method === 'tools/list') {
        response.writeHead(401, { 'content-type': 'application/json' }).end('{"error":"The key is wrong."}');
        return;
      }
      response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders();
      response.on('close', () => closed.push(message.id ?? 0));
      if (message.method === 'ping') response.destroy();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`;
});
afterEach(() => {
  server.closeAllConnections();
  server.close();
});

/** @returns the answers of the command, and how to send it a message and end it */
function started() {
  const [stdin, stdout] = [new PassThrough(), new PassThrough()];
  const answers: Message[] = [];
  stdout.on('data', (chunk: Buffer) => {
    for (const line of chunk.toString().trim().split('\n')) answers.push(JSON.parse(line) as Message);
  });
  const running = serveMcp({ url, key: 'td_key', stdin, stdout, signal: new AbortController().signal });
  return {
    answers,
    send: (message: object) => void stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`),
    end: () => (stdin.end(), running),
  };
}

it('answers a request that the service refuses, or whose connection breaks, with an error', async () => {
  const { answers, send, end } = started();
  send({ id: 1, method: 'tools/list' });
  await until(() => answers.find(({ id }) => id === 1));
  send({ id: 2, method: 'ping' });
  await until(() => answers.find(({ id }) => id === 2));
  expect(answers[0]?.error?.message).toContain('The key is wrong.');
  expect(answers[1]?.error?.message).toContain(url);
  await end();
});

it('closes the stream of a request that its client cancels, and answers nothing', async () => {
  const { answers, send, end } = started();
  send({ id: 3, method: 'tools/call', params: { name: 'get_audio' } });
  await until(() => received.length === 1);
  send({ method: 'notifications/cancelled', params: { requestId: 3 } });
  await until(() => closed.length === 1);
  expect([closed, answers]).toEqual([[3], []]);
  await end();
});
