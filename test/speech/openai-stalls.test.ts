import { createServer, type Socket } from 'node:net';
import { expect, it } from 'vitest';
import { postForm, PostTimeoutError, type Form } from '../../speech/openai/post-form.ts';

const formOf = (megabytes: number): Form => ({
  fields: [['model', 'm']],
  file: {
    ...{ name: 'a.wav', type: 'audio/wav', sizeBytes: megabytes * 1_000_000 },
    async *chunks() {
      for (let sent = 0; sent < megabytes; sent += 1) yield await Promise.resolve(new Uint8Array(1_000_000));
    },
  },
});

/** @param onSocket handles a connection */
async function post(onSocket: (socket: Socket) => void, megabytes: number) {
  const server = createServer({ pauseOnConnect: true }, onSocket);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = new URL(`http://127.0.0.1:${String((server.address() as { port: number }).port)}/`);
  const limits = { timeoutMs: 60_000, stallTimeoutMs: 500 };
  try {
    return await postForm(url, formOf(megabytes), { headers: {}, signal: new AbortController().signal, ...limits });
  } finally {
    server.close();
  }
}

it('gives up on a server that stops reading the form', async () => {
  await expect(post(() => undefined, 40)).rejects.toThrow(PostTimeoutError);
});

it('waits longer for a response than for the form to be read', async () => {
  const answer = await post((socket) => {
    socket.resume();
    setTimeout(() => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok'), 1_500);
  }, 1);
  expect(answer).toMatchObject({ statusCode: 200, text: 'ok' });
});
