import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import { connect, createServer, BlockList, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { createDownloader } from '../../../outbound/download.ts';
import { startForwardProxy } from '../../../outbound/forward-proxy.ts';
import { createWebhookClient } from '../../../outbound/webhooks/webhook-client.ts';
import type { Random } from '../../../quality/chaos/plan.ts';
import { hostileBody, hostileHeaders, hostileText } from './text.ts';

const LIMITS = { connectTimeoutMs: 1_000, idleTimeoutMs: 1_000 };

/** What a server of somebody else's answers: mostly redirects and successes, with hostile headers. */
function hostileResponse(random: Random): string {
  const body = hostileBody(random, ['a']);
  const status = random.pick(['200 OK', '302 Found', '301 Moved', '401 Unauthorized', '503 Busy', '100 Continue']);
  const location = random.pick(['/next', hostileText(random, 4_000), `https://${hostileText(random, 8_000)}`]);
  const framing = random.pick([`Content-Length: ${String(body.length)}`, 'Transfer-Encoding: chunked', 'X-None: 1']);
  const chunks = (body.match(/[^]{1,9}/g) ?? []).map((one) => `${one.length.toString(16)}\r\n${one}\r\n`).join('');
  const head = [`HTTP/1.1 ${status}`, `Location: ${location}`, framing, ...hostileHeaders(random)];
  const trailers = random.next() < 0.3 ? hostileHeaders(random).join('\r\n') : '';
  const content = framing.startsWith('Transfer') ? `${chunks}0\r\n${trailers}\r\n\r\n` : body;
  return `${head.join('\r\n')}\r\n\r\n${content}`;
}

export type HostileServer = Awaited<ReturnType<typeof startHostileServer>>;

/**
 * A server with hostile answers, and every client that calls URLs of others: the forward proxy of yt-dlp, the client of
 * webhooks and the downloader.
 *
 * @param folder that downloads are written to
 */
export async function startHostileServer(folder: string) {
  const allowedNetworks = new BlockList();
  allowedNetworks.addSubnet('127.0.0.0', 8, 'ipv4');
  const proxy = await startForwardProxy({ ...LIMITS, allowedNetworks });
  const webhooks = createWebhookClient({ ...LIMITS, allowedNetworks, timeoutMs: 2_000, maxResponseBytes: 65_536 });
  const download = createDownloader({ ...LIMITS, allowedNetworks });
  let answer = '';
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.once('data', () => socket.end(Buffer.from(answer, 'latin1')));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}/`;
  const path = join(folder, 'hostile');
  const clients = {
    proxy: async () => {
      const loan = proxy.lend();
      const { port, username, password } = new URL(loan.url);
      const basic = Buffer.from(`${username}:${password}`).toString('base64');
      const socket = connect(Number(port), '127.0.0.1').on('error', () => undefined);
      socket.setTimeout(2_000, () => socket.destroy());
      socket.write(
        `GET ${url} HTTP/1.1\r\nHost: a\r\nProxy-Authorization: Basic ${basic}\r\nConnection: close\r\n\r\n`,
      );
      let bytes = 0;
      socket.on('data', (chunk) => (bytes += chunk.length));
      await once(socket, 'close');
      loan.end();
      return bytes > 0;
    },
    webhooks: async () => (await webhooks.post(url, { headers: {}, body: '{}' })).kind === 'answered',
    download: async () => {
      await rm(path, { force: true });
      const options = { path, maxBytes: 1_000_000, timeoutMs: 2_000, signal: new AbortController().signal };
      return download(url, options).then(
        () => true,
        () => false,
      );
    },
  };
  return {
    clients: Object.keys(clients) as (keyof typeof clients)[],
    /** Prepares the next answer. @returns its first line and the names of its headers */
    prepare(random: Random): string {
      answer = hostileResponse(random);
      const [head = ''] = answer.split('\r\n\r\n', 1);
      return [...new Set(head.split('\r\n').map((line) => line.slice(0, 30)))].slice(0, 6).join(' | ');
    },
    /** Has a client call the server. @returns whether it got an answer */
    call: (client: keyof typeof clients): Promise<boolean> => clients[client](),
    async close(): Promise<void> {
      webhooks.close();
      server.close();
      await proxy.close();
    },
  };
}
