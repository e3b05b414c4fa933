import { randomBytes, timingSafeEqual } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { type Duplex, pipeline } from 'node:stream';
import { checkTarget } from './check-target.ts';
import { createGuardedConnector, type GuardSettings } from './connector.ts';
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
  ...['connection', 'keep-alive', 'te', 'trailer', 'transfer-encoding', 'upgrade'],
  ...['proxy-authenticate', 'proxy-authorization', 'proxy-connection'],
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

export interface ForwardProxySettings extends Omit<GuardSettings, 'trustedCa'> {
  /** The longest silence of a connection, in milliseconds. */
  readonly idleTimeoutMs: number;
}

interface Lent {
  readonly expected: Buffer;
  readonly clients: Set<Duplex>;
  readonly targets: Set<Socket>;
  receivedBytes: number;
}

export type ForwardProxy = Awaited<ReturnType<typeof startForwardProxy>>;

export const PROXY_LIMITS = { connectTimeoutMs: 10_000, idleTimeoutMs: 60_000 } as const;

const USER = 'tapedeck';
const HOST = '127.0.0.1';
/** The limit of connections per program; normal programs open a few. */
const MAX_CONNECTIONS = 1_000;

/** ffmpeg sends its password only if there is a realm, as RFC 7617 (section 2) demands. */
const CHALLENGE = 'Basic realm="tapedeck"';

/**
 * Starts a proxy for plain HTTP and CONNECT that connects to permitted addresses only.
 *
 * A program that follows links checks none of them. Through this proxy each of its requests, including those after redirects,
 * gets the checks of `download.ts`: the host and port of the URL, every DNS address, and the connected socket.
 * Headers in either direction are limited to Node's 16 KiB.
 */
export async function startForwardProxy(settings: ForwardProxySettings) {
  const lent = new Set<Lent>();
  const sockets = new Set<Duplex>();
  const keep = (socket: Duplex): void => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  };

  const dialFor =
    (own: Lent): Dial =>
    (target, client) => {
      const check = checkTarget(target.origin, settings.allowedNetworks);
      if (!check.ok) return Promise.reject(new ForbiddenTargetError());
      const gone = new AbortController();
      const abort = (): void => gone.abort();
      client.once('close', abort);
      const connect = createGuardedConnector({ ...settings, signal: gone.signal });
      const host = check.url.hostname.replace(/^\[|\]$/g, '');
      const port = check.url.port === '' ? String(DEFAULT_PORTS[check.url.protocol]) : check.url.port;
      return new Promise((resolve, reject) => {
        // TLS, if any, is between the program and the host.
        connect({ hostname: host, host, protocol: 'http:', port }, (...[error, socket]) => {
          if (error !== null) {
            client.off('close', abort);
            reject(error);
            return;
          }
          keep(socket);
          own.targets.add(socket);
          socket.once('close', () => {
            // A client may send many requests over one connection, and each response keeps this socket open.
            client.off('close', abort);
            own.targets.delete(socket);
            own.receivedBytes += socket.bytesRead;
          });
          socket.setTimeout(settings.idleTimeoutMs, () => socket.destroy());
          resolve(socket);
        });
      });
    };

  /** One connection may carry several requests; each must present a valid password. */
  const lentTo = ({ headers, socket }: IncomingMessage): Lent | undefined => {
    const given = Buffer.from(headers['proxy-authorization'] ?? '');
    const isGiven = ({ expected }: Lent): boolean =>
      given.length === expected.length && timingSafeEqual(given, expected);
    // All passwords are compared, so that the duration does not reveal which one is similar.
    const [known] = [...lent].filter(isGiven);
    if (known !== undefined && !known.clients.has(socket)) {
      known.clients.add(socket);
      socket.once('close', () => known.clients.delete(socket));
    }
    return known;
  };

  const server = createServer((request, response) => {
    const known = lentTo(request);
    if (known !== undefined) void forwardRequest(request, response, dialFor(known));
    else response.writeHead(407, { 'proxy-authenticate': CHALLENGE, 'content-length': 0, connection: 'close' }).end();
  });
  server.maxConnections = MAX_CONNECTIONS;
  server.on('connection', (socket: Socket) => keep(socket));
  server.on('clientError', (_error, socket) => socket.destroy());
  server.on('connect', (request, client, head) => {
    client.on('error', () => client.destroy());
    const known = lentTo(request);
    if (known !== undefined) void tunnel(request.url ?? '', { client, head, dial: dialFor(known) });
    else client.end(`HTTP/1.1 407 Proxy Authentication Required\r\nProxy-Authenticate: ${CHALLENGE}\r\n\r\n`);
  });
  server.listen(0, HOST);
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    /** Creates access for one run: its password is useless after the run. */
    lend: () => {
      const password = randomBytes(24).toString('hex');
      const expected = Buffer.from(`Basic ${Buffer.from(`${USER}:${password}`).toString('base64')}`);
      const own: Lent = { expected, clients: new Set(), targets: new Set(), receivedBytes: 0 };
      lent.add(own);
      return {
        /** With a user name and a password for this run only. It is a secret and must not appear in logs or arguments. */
        url: `http://${USER}:${password}@${HOST}:${String(port)}`,
        receivedBytes: (): number =>
          [...own.targets].reduce((sum, { bytesRead }) => sum + bytesRead, own.receivedBytes),
        /** Revokes the password and closes the connections that use it. */
        end: (): void => {
          lent.delete(own);
          for (const client of own.clients) client.destroy();
        },
      };
    },
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
}

const DEFAULT_PORTS: Readonly<Record<string, number>> = { 'http:': 80, 'https:': 443 };

/** Forwards bytes in both directions until one side ends (RFC 9110, section 9.3.6). */
async function tunnel(
  authority: string,
  { client, head, dial }: { readonly client: Duplex; readonly head: Buffer; readonly dial: Dial },
): Promise<void> {
  try {
    const target = await dial(urlOfAuthority(authority), client);
    target.on('error', () => client.destroy());
    target.on('close', () => client.destroy());
    client.on('close', () => target.destroy());
    client.write('HTTP/1.1 200 Connection Established\r\n\r\n');
    target.write(head);
    target.pipe(client).pipe(target);
  } catch (error) {
    const { statusCode, phrase } = refusalOf(error);
    client.end(`HTTP/1.1 ${String(statusCode)} ${phrase}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n`);
  }
}

/** @throws ForbiddenTargetError unless the target consists of a host and a port */
function urlOfAuthority(authority: string): URL {
  const match = /^(\[[0-9a-f:.]+\]|[^\s:/?#@\\[\]]+):(\d{1,5})$/i.exec(authority);
  const url = `http://${match?.[1] ?? ''}:${match?.[2] ?? ''}`;
  if (match === null || !URL.canParse(url)) throw new ForbiddenTargetError();
  return new URL(url);
}
