import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Webhook } from 'standardwebhooks';

/** A webhook as it arrived. */
export interface Reception {
  /** The last segment of the URL: which call it was promised to. */
  readonly callId: string;
  readonly webhookId: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** By the official library, when it arrived. */
  readonly isSigned: boolean;
}

export interface Receiver {
  /** host:port */
  readonly address: string;
  readonly receptions: readonly Reception[];
  close(): Promise<void>;
}

/** The receiver of all callers: takes everything that arrives whole. */
export async function startReceiver(secret: string): Promise<Receiver> {
  const receptions: Reception[] = [];
  const verifier = new Webhook(secret);
  const isSigned = (body: string, headers: Record<string, string>): boolean => {
    try {
      verifier.verify(body, headers);
      return true;
    } catch {
      return false;
    }
  };
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('error', () => undefined);
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const body = Buffer.concat(chunks).toString('utf8');
      const headers = Object.fromEntries(
        Object.entries(request.headers).map(([name, value]) => [name, String(value)] as const),
      );
      receptions.push({
        callId: request.url?.split('/').at(-1) ?? '',
        webhookId: headers['webhook-id'] ?? '',
        isSigned: isSigned(body, headers),
        ...{ headers, body },
      });
      response.writeHead(200).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    address: `127.0.0.1:${String((server.address() as AddressInfo).port)}`,
    receptions,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
