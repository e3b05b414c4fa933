import { connect, type Socket } from 'node:net';
import { once } from 'node:events';

/** A caller on a bare socket, who reads when the test says so. */
export interface Reader {
  readonly socket: Socket;
  /** The head of the answer, once it is there; throws when the connection is cut before. */
  head(): Promise<string>;
  isCut(): boolean;
}

/** Sends a request and reads its head at most, with what comes along in the same piece. */
export async function ask(
  url: string,
  request: { method?: string; body?: string; headers?: Record<string, string> } = {},
): Promise<Reader> {
  const { method = 'GET', body = '', headers = {} } = request;
  const { hostname, port, pathname, search, host } = new URL(url);
  const socket = connect(Number(port), hostname);
  let cut = false;
  socket.on('error', () => (cut = true)).on('close', () => (cut = true));
  await once(socket, 'connect');
  const lines = Object.entries({ Host: host, 'Content-Length': String(Buffer.byteLength(body)), ...headers });
  socket.write(
    `${method} ${pathname}${search} HTTP/1.1\r\n${lines.map((line) => line.join(': ')).join('\r\n')}\r\n\r\n${body}`,
  );
  const head = (async (): Promise<string> => {
    await once(socket, 'readable');
    const first = socket.read() as Buffer | null;
    if (first === null) throw new Error('the connection was cut');
    return first.toString('latin1');
  })();
  head.catch(() => undefined);
  return { socket, head: () => head, isCut: () => cut };
}
