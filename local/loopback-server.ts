import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';

/** With Node's default of 5 s, a busy client may send a request on a connection that is being closed. */
const KEEP_ALIVE_MS = 60_000;

export async function serveOnLoopback(listener: RequestListener, port = 0, host = '127.0.0.1') {
  const server = createServer({ keepAliveTimeout: KEEP_ALIVE_MS }, listener).listen(port, host);
  await once(server, 'listening');
  return {
    url: `http://${host}:${String((server.address() as AddressInfo).port)}`,
    stop: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
