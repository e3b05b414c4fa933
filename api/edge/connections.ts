import type { IncomingMessage, Server, ServerOptions, ServerResponse } from 'node:http';
import { BlockList, type Server as NetServer, type Socket } from 'node:net';
import type { Middleware } from 'h3';
import { UPLOADS_PATH } from '../../contract/kinds/upload.ts';
import { ApiError } from '../../contract/http/api-error.ts';
import { addressGroup, inNetworks } from '../../outbound/addresses.ts';

/** `Prefer: wait` holds a connection for a minute, so many are allowed. An idle connection is closed after seconds. */
export const CONNECTION_LIMITS = {
  /** A connection is closed if the peer accepts no byte for this long while bytes are waiting. */
  stalledMs: 30_000,
  headersMs: 10_000,
  /** The whole request, with its body of at most 64 KiB. */
  requestMs: 15_000,
  /** Connections of one address, or of one network of IPv6. */
  perAddress: 512,
  inAll: 2_048,
  /** Connections beyond `inAll` on which only health checks are answered. */
  reserve: 64,
};
export type ConnectionLimits = Readonly<typeof CONNECTION_LIMITS>;
/** One address cannot use up the reserve. */
const RESERVED_PER_ADDRESS = 8;
const HEALTH_CHECKS = /^\/(?:health|live|ready)$/;

const LOOPBACK = new BlockList();
LOOPBACK.addSubnet('127.0.0.0', 8, 'ipv4');
LOOPBACK.addAddress('::1', 'ipv6');

export function serverOptions({ headersMs }: ConnectionLimits): ServerOptions {
  return {
    headersTimeout: headersMs,
    // It would cut uploads, so `cutSlowRequests` limits the others.
    requestTimeout: 0,
    // By default Node checks every 30 s, and a slow request would live until then.
    connectionsCheckingInterval: Math.min(1_000, headersMs / 2),
    keepAliveTimeout: 5_000,
    maxHeaderSize: 16 * 1024,
  };
}

export function guardConnections(server: Server, limits: ConnectionLimits, proxies?: BlockList): void {
  server.maxConnections = limits.inAll + limits.reserve;
  server.maxRequestsPerSocket = 1_000;
  cutStalled(server, limits.stalledMs);
  cutSlowRequests(server, limits);
  capConnections(server, limits, proxies);
  answerMalformedRequests(server);
}

/**
 * Limits the connections of an address, except for this machine and trusted proxies, which open connections for many callers.
 * Connections beyond `inAll` are accepted for health checks only, and for a short time.
 */
export function capConnections(server: NetServer, limits: ConnectionLimits, proxies?: BlockList): void {
  const counts = new Map<string, number>();
  let open = 0;
  const cap = (socket: Socket, key: string, most: number): void => {
    const count = (counts.get(key) ?? 0) + 1;
    if (count > most) {
      socket.destroy();
      return;
    }
    counts.set(key, count);
    socket.once('close', () => {
      const left = (counts.get(key) ?? 1) - 1;
      if (left === 0) counts.delete(key);
      else counts.set(key, left);
    });
  };
  server.on('connection', (socket) => {
    const { remoteAddress } = socket;
    open += 1;
    socket.once('close', () => (open -= 1));
    if (remoteAddress === undefined) return;
    const group = addressGroup(remoteAddress);
    if (open > limits.inAll) {
      reserved.add(socket);
      const timer = setTimeout(() => socket.destroy(), limits.headersMs).unref();
      socket.once('close', () => clearTimeout(timer));
      cap(socket, `reserved ${group}`, RESERVED_PER_ADDRESS);
    } else if (!inNetworks(remoteAddress, LOOPBACK) && !(proxies !== undefined && inNetworks(remoteAddress, proxies))) {
      cap(socket, group, limits.perAddress);
    }
  });
}

const reserved = new WeakSet<Socket>();

/** While too many connections are open, answers only health checks, so that no orchestrator restarts a busy process. */
export const keepReserve: Middleware = (event) => {
  const socket = event.runtime?.node?.req.socket;
  if (socket === undefined || !reserved.has(socket) || HEALTH_CHECKS.test(event.url.pathname)) return;
  const extras = { retryAfterSeconds: 5, headers: { Connection: 'close' } };
  throw new ApiError('unavailable', 'Too many connections are open. Try again soon.', extras);
};

/** An upload takes as long as the network needs, provided that its bytes keep arriving; other bodies are small. */
function cutSlowRequests(server: Server, { requestMs, stalledMs }: ConnectionLimits): void {
  server.on('request', (request: IncomingMessage) => {
    const { headers, method, url = '', socket } = request;
    if (headers['content-length'] === undefined && headers['transfer-encoding'] === undefined) return;
    const isUpload = method === 'PATCH' && url.startsWith(`${UPLOADS_PATH}/`);
    let read = socket.bytesRead;
    const check = (): void => {
      if (request.complete) return;
      if (!isUpload || socket.bytesRead === read) {
        server.emit('clientError', Object.assign(new Error('slow'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' }), socket);
        return;
      }
      read = socket.bytesRead;
      timer = setTimeout(check, stalledMs).unref();
    };
    let timer = setTimeout(check, isUpload ? stalledMs : requestMs).unref();
    request.once('close', () => clearTimeout(timer));
  });
}

/** Closes connections whose peer does not read. Node's own timeout does not suffice: each received byte restarts it. */
function cutStalled(server: Server, stalledMs: number): void {
  const progress = new Map<Socket, ReturnType<typeof writeProgressOf>>();
  server.on('connection', (socket) => {
    progress.set(socket, writeProgressOf(socket));
    socket.once('close', () => progress.delete(socket));
  });
  const timer = setInterval(() => {
    for (const [socket, last] of progress) {
      const now = writeProgressOf(socket);
      const isMoving = now.written !== last.written || now.queued !== last.queued || socket.writableLength === 0;
      if (isMoving) progress.set(socket, now);
      // The connection is reset, because after an ordinary end the system would keep the unread bytes.
      else if (now.sinceMs - last.sinceMs >= stalledMs) socket.resetAndDestroy();
    }
  }, stalledMs / 4).unref();
  server.once('close', () => clearInterval(timer));
}

function writeProgressOf(socket: Socket) {
  return { written: socket.bytesWritten, queued: queuedOf(socket), sinceMs: performance.now() };
}

/** The unsent bytes. A long answer is one write that ends with its last byte, so only the handle shows how much is left. */
function queuedOf(socket: Socket): number {
  const { _handle: handle } = socket as { readonly _handle?: { readonly writeQueueSize?: number } | null };
  return handle?.writeQueueSize ?? socket.writableLength;
}

/** Answers requests that Node refuses before they reach a route (malformed or too slow) with the documented error body. */
function answerMalformedRequests(server: Server): void {
  const responses = new WeakMap<Socket, ServerResponse>();
  server.on('request', ({ socket }, response) => {
    responses.set(socket, response);
  });
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) => {
    const last = responses.get(socket);
    // During an answer, or after the answer to a request that continues, another one would be misinterpreted.
    const isAnswered = last?.headersSent === true && !(last.closed && last.req.complete);
    if (error.code === 'ECONNRESET' || !socket.writable || isAnswered) {
      socket.destroy();
      return;
    }
    const { status, refusal } = refusalOf(error.code);
    const body = JSON.stringify(refusal.toBody());
    const headers = `Content-Type: application/json\r\nContent-Length: ${String(Buffer.byteLength(body))}`;
    // An ended connection would stay open until the peer ends it too.
    socket.end(`HTTP/1.1 ${status}\r\n${headers}\r\nConnection: close\r\n\r\n${body}`, () => socket.destroy());
  });
}

function refusalOf(code: string | undefined): { readonly status: string; readonly refusal: ApiError } {
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') {
    const refusal = new ApiError('request_timeout', 'The request did not arrive to its end in time.');
    return { status: '408 Request Timeout', refusal };
  }
  const isTooLong = code === 'HPE_HEADER_OVERFLOW';
  const status = isTooLong ? '431 Request Header Fields Too Large' : '400 Bad Request';
  return { status, refusal: new ApiError('invalid_input', 'The request is not valid HTTP.') };
}
