import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export type Page = (request: IncomingMessage, response: ServerResponse) => void | Promise<void>;

interface PagesOptions {
  readonly host: string;
  /** 0 for any free port. */
  readonly port: number;
  /** Pages by path, such as `/metrics`. */
  readonly pages: Readonly<Record<string, Page>>;
  readonly methods?: readonly string[];
}

/** Serves pages for operators until `close`, on a port that should not be reachable from outside. @throws if it is in use */
export async function servePages({ host, port, pages, methods = ['GET', 'HEAD'] }: PagesOptions) {
  const byPath = new Map(Object.entries(pages));
  const server = createServer({ requestTimeout: 10_000, keepAliveTimeout: 5_000 }, (request, response) => {
    const [path = ''] = (request.url ?? '').split('?');
    const page = byPath.get(path);
    if (page === undefined || !methods.includes(request.method ?? '')) {
      answerJson(response, 404, { error: `There are ${[...byPath.keys()].join(', ')}.` });
      return;
    }
    Promise.resolve(page(request, response)).catch((error: unknown) => response.destroy(error as Error));
  });
  server.maxConnections = 100;
  server.listen(port, host);
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    /** Ends open connections, too. */
    close(): void {
      server.close();
      server.closeAllConnections();
    },
  };
}

export function answerJson(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'Content-Type': 'application/json', 'Cache-Control': 'no-store' });
  response.end(JSON.stringify(body));
}
