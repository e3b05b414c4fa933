import { text } from 'node:stream/consumers';
import { serveOnLoopback } from './loopback-server.ts';

export interface ReceivedPost {
  readonly path: string;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** Milliseconds since 1970. */
  readonly at: number;
}

export type WebhookReceiver = Awaited<ReturnType<typeof startWebhookReceiver>>;

export async function startWebhookReceiver(answer: (post: number) => number = () => 200) {
  const posts: ReceivedPost[] = [];
  const { url, stop } = await serveOnLoopback((request, response) => {
    const take = (body: string): void => {
      const headers = Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, String(value)]));
      posts.push({ path: request.url ?? '', headers, body, at: Date.now() });
      response.writeHead(answer(posts.length)).end('{}');
    };
    // An incomplete webhook is sent again.
    text(request).then(take, () => undefined);
  });
  return { url: `${url}/hook`, posts: posts as readonly ReceivedPost[], close: stop };
}
