import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface ReceivedPost {
  readonly path: string;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** When it arrived, in milliseconds since 1970. */
  readonly at: number;
}

export interface WebhookReceiver {
  readonly url: string;
  readonly posts: readonly ReceivedPost[];
  close(): Promise<void>;
}

/** What a caller of the service has: a server on loopback that takes webhooks. @param answer the status code of the n-th post (from 1) */
export async function startWebhookReceiver(answer: (post: number) => number = () => 200): Promise<WebhookReceiver> {
  const posts: ReceivedPost[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    // What does not arrive whole is sent again.
    request.on('error', () => undefined);
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const headers = Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, String(value)]));
      posts.push({
        path: request.url ?? '',
        headers,
        body: Buffer.concat(chunks).toString('utf8'),
        at: Date.now(),
      });
      response.writeHead(answer(posts.length)).end('{}');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${String((server.address() as AddressInfo).port)}/hook`,
    posts,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
