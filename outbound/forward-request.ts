import { request, type IncomingMessage, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { pipeline, type Duplex } from 'node:stream';
import { ForbiddenTargetError, unreachableCode } from './request-failures.ts';

export type Dial = (target: URL, client: Duplex) => Promise<Socket>;

/** Clients repeat the phrase in their errors, where `vidnet/yt-dlp/yt-dlp-failures.ts` recognizes it. */
export function refusalOf(error: unknown): { readonly statusCode: number; readonly phrase: string } {
  if (error instanceof ForbiddenTargetError) return { statusCode: 403, phrase: 'Target Not Public' };
  if (unreachableCode(error) === 'timeout') return { statusCode: 504, phrase: 'Target Timeout' };
  return { statusCode: 502, phrase: 'Target Unreachable' };
}

/** Hop-by-hop headers, which a proxy must not forward (RFC 9110, section 7.6.1). */
const HOP_BY_HOP = new Set([
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/** Forwards one plain HTTP request with an absolute URL, and its response, over a connection of its own. */
export async function forwardRequest(incoming: IncomingMessage, outgoing: ServerResponse, dial: Dial): Promise<void> {
  outgoing.on('error', () => outgoing.destroy());
  try {
    const url = targetOf(incoming);
    const socket = await dial(url, incoming.socket);
    const answer = await send(url, { incoming, socket });
    outgoing.writeHead(answer.statusCode ?? 502, endToEndHeaders(answer.rawHeaders));
    // A response that is cut off must stay recognizable: the pipeline then destroys the client's socket instead of ending it.
    pipeline(answer, outgoing, () => socket.destroy());
  } catch (error) {
    if (outgoing.headersSent) {
      outgoing.destroy();
      return;
    }
    const { statusCode, phrase } = refusalOf(error);
    outgoing.writeHead(statusCode, phrase, { 'content-length': 0, connection: 'close' }).end();
  }
}

/** @throws ForbiddenTargetError unless the URL is http; other schemes use a tunnel */
function targetOf({ url = '' }: IncomingMessage): URL {
  if (!/^http:\/\//i.test(url) || !URL.canParse(url)) throw new ForbiddenTargetError();
  return new URL(url);
}

function send(
  url: URL,
  { incoming, socket }: { readonly incoming: IncomingMessage; readonly socket: Socket },
): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const sent = request({
      method: incoming.method,
      path: url.pathname + url.search,
      // The URL determines the host; a different Host header would reach another site on the same server.
      headers: ['Host', url.host, ...endToEndHeaders(incoming.rawHeaders, 'host'), 'Connection', 'close'],
      createConnection: () => socket,
    });
    sent.once('response', resolve).once('error', (error) => {
      socket.destroy();
      reject(error);
    });
    pipeline(incoming, sent, () => undefined);
  });
}

/** @param rawHeaders alternating names and values @param replaced other names, in lower case, to leave out */
function endToEndHeaders(rawHeaders: readonly string[], ...replaced: readonly string[]): string[] {
  const pairs = rawHeaders.flatMap((name, index) => (index % 2 === 0 ? [[name, rawHeaders[index + 1] ?? '']] : []));
  const named = pairs
    .filter(([name]) => name?.toLowerCase() === 'connection')
    .flatMap(([, value = '']) => value.split(',').map((option) => option.trim().toLowerCase()));
  const dropped = new Set([...HOP_BY_HOP, ...named, ...replaced]);
  return pairs.filter(([name = '']) => !dropped.has(name.toLowerCase())).flat();
}
