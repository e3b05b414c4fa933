import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

const MAX_BODY_BYTES = 1_048_576;

export interface ReceivedWebhook {
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export interface Receiver {
  readonly url: string;
  /**
   * Waits for a webhook, also one that has arrived already.
   *
   * @param endpoint value of its X-Webhook-Endpoint
   * @throws the signal's reason
   */
  webhook(endpoint: string, signal: AbortSignal): Promise<ReceivedWebhook>;
  close(): Promise<void>;
}

/** What a caller of the service has: a server that takes its webhooks and answers 200. */
export async function startReceiver(): Promise<Receiver> {
  const received: ReceivedWebhook[] = [];
  const arrivals = new EventTarget();
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    let sizeBytes = 0;
    request.on('data', (chunk: Buffer) => {
      sizeBytes += chunk.length;
      if (sizeBytes > MAX_BODY_BYTES) request.destroy();
      else chunks.push(chunk);
    });
    request.on('end', () => {
      const headers = Object.fromEntries(
        Object.entries(request.headers).map(([name, value]) => [name, String(value)] as const),
      );
      received.push({ headers, body: Buffer.concat(chunks).toString('utf8') });
      response.writeHead(200).end();
      arrivals.dispatchEvent(new Event('webhook'));
    });
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', resolve);
  });
  return {
    url: `http://127.0.0.1:${String((server.address() as AddressInfo).port)}/webhook`,
    webhook(endpoint, signal) {
      return new Promise((resolve, reject) => {
        const look = (): void => {
          const found = received.find((one) => one.headers['x-webhook-endpoint'] === endpoint);
          if (found === undefined) return;
          arrivals.removeEventListener('webhook', look);
          resolve(found);
        };
        arrivals.addEventListener('webhook', look);
        signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
        if (signal.aborted) reject(signal.reason as Error);
        look();
      });
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
