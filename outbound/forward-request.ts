import { request, type IncomingMessage, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { pipeline } from 'node:stream';
import { ForbiddenTargetError } from './request-failures.ts';
import { refusalOf, type Dial } from './proxy-refusals.ts';

/** RFC 9110, section 7.6.1: these are between two neighbours only. */
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

/** Hands on one request for plain HTTP, which names its whole URL, and the answer to it. One connection each. */
export async function forwardRequest(incoming: IncomingMessage, outgoing: ServerResponse, dial: Dial): Promise<void> {
  outgoing.on('error', () => outgoing.destroy());
  try {
    const url = targetOf(incoming);
    const socket = await dial(url, incoming.socket);
    const answer = await send(url, { incoming, socket });
    outgoing.writeHead(answer.statusCode ?? 502, handedOn(answer.rawHeaders));
    // An answer that is cut off must stay one: the pipeline then destroys our side instead of ending it.
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

/** @throws ForbiddenTargetError for anything but an http URL: a tunnel is the way to the others */
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
      headers: withHost(handedOn(incoming.rawHeaders), url.host),
      createConnection: () => socket,
    });
    sent.once('response', resolve).once('error', (error) => {
      socket.destroy();
      reject(error);
    });
    pipeline(incoming, sent, () => undefined);
  });
}

/** @param rawHeaders names and values in turn @returns the same without those that are for us alone */
function handedOn(rawHeaders: readonly string[]): string[] {
  const pairs = rawHeaders.flatMap((name, index) => (index % 2 === 0 ? [[name, rawHeaders[index + 1] ?? '']] : []));
  const named = pairs
    .filter(([name]) => name?.toLowerCase() === 'connection')
    .flatMap(([, value = '']) => value.split(',').map((option) => option.trim().toLowerCase()));
  const dropped = new Set([...HOP_BY_HOP, ...named]);
  return pairs.filter(([name = '']) => !dropped.has(name.toLowerCase())).flat();
}

/** The URL decides where a request goes; a header that says something else would reach another site of the same host. */
function withHost(headers: readonly string[], host: string): string[] {
  const others = headers.flatMap((name, index) =>
    index % 2 === 0 && name.toLowerCase() !== 'host' ? [name, headers[index + 1] ?? ''] : [],
  );
  return ['Host', host, ...others, 'Connection', 'close'];
}
