import type { Server, ServerOptions } from 'node:http';
import { BlockList, type Server as NetServer, type Socket } from 'node:net';
import type { Middleware } from 'h3';
import { ApiError } from '../../contract/http/api-error.ts';
import { addressGroup, inNetworks } from '../../outbound/addresses.ts';
import { answerMalformedRequests } from './malformed-requests.ts';

export interface ConnectionLimits {
  /** A connection on which bytes wait, and none was taken for this long, is cut. */
  readonly stalledMs: number;
  readonly headersMs: number;
  /** The whole request, with its body of at most 64 KiB. */
  readonly requestMs: number;
  /** Connections of one address, or of one network of IPv6. */
  readonly perAddress: number;
  readonly inAll: number;
  /** Connections beyond `inAll` on which only health checks are answered. */
  readonly reserve: number;
}

/** `Prefer: wait` holds a connection for a minute, so many are fine; one that only sits there goes after seconds. */
export const CONNECTION_LIMITS: ConnectionLimits = {
  ...{ stalledMs: 30_000, headersMs: 10_000, requestMs: 15_000, perAddress: 512, inAll: 2_048 },
  reserve: 64,
};
/** One address cannot use up the reserve. */
const RESERVED_PER_ADDRESS = 8;
const HEALTH_CHECKS = /^\/(?:health|live|ready)$/;

/** How often a connection is looked at in that time. */
const STALL_LOOKS = 4;

/** Whoever is on the machine is asked for no better manners than the proxy that may stand there. */
const LOOPBACK = new BlockList();
LOOPBACK.addSubnet('127.0.0.0', 8, 'ipv4');
LOOPBACK.addAddress('::1', 'ipv6');

/** What Node itself keeps to, where the server is made. */
export function serverOptions({ headersMs, requestMs }: ConnectionLimits): ServerOptions {
  return {
    headersTimeout: headersMs,
    requestTimeout: requestMs,
    // Node looks every 30 s unless told otherwise, and a slow request would live until then.
    connectionsCheckingInterval: Math.min(1_000, headersMs / 2),
    keepAliveTimeout: 5_000,
    maxHeaderSize: 16 * 1024,
  };
}

/**
 * Cuts who takes nothing of what is sent, and who keeps too many connections; answers what is no valid request.
 *
 * @param proxies networks of our own proxies, which bring the connections of many
 */
export function guardConnections(server: Server, limits: ConnectionLimits, proxies?: BlockList): void {
  server.maxConnections = limits.inAll + limits.reserve;
  server.maxRequestsPerSocket = 1_000;
  cutStalled(server, limits.stalledMs);
  capConnections(server, limits, proxies);
  answerMalformedRequests(server);
}

/**
 * Refuses further connections from an address, except from this machine and from our own proxies, which bring those of many
 * callers. Connections beyond `inAll` are accepted for health checks only, and for a short time.
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

/** Connections that are accepted for health checks only. */
const reserved = new WeakSet<Socket>();

/** While too many connections are open, answers only health checks, so that no orchestrator restarts a busy process. */
export const keepReserve: Middleware = (event) => {
  const socket = event.runtime?.node?.req.socket;
  if (socket === undefined || !reserved.has(socket) || HEALTH_CHECKS.test(event.url.pathname)) return;
  const extras = { retryAfterSeconds: 5, headers: { Connection: 'close' } };
  throw new ApiError('unavailable', 'Too many connections are open. Try again soon.', extras);
};

/** How far a connection has come with what is written to it. */
interface Mark {
  readonly written: number;
  readonly queued: number;
  readonly sinceMs: number;
}

/**
 * Cuts connections on which bytes wait of which the other side takes none. Node's own timeout of a socket does not serve: any
 * byte that comes in begins it anew, so whoever sends one now and then need not read.
 */
function cutStalled(server: Server, stalledMs: number): void {
  const marks = new Map<Socket, Mark>();
  server.on('connection', (socket) => {
    marks.set(socket, markOf(socket));
    socket.once('close', () => marks.delete(socket));
  });
  const timer = setInterval(() => {
    for (const [socket, last] of marks) {
      const now = markOf(socket);
      const isMoving = now.written !== last.written || now.queued !== last.queued || socket.writableLength === 0;
      if (isMoving) marks.set(socket, now);
      // Reset: after a mere end the system would keep what nobody takes.
      else if (now.sinceMs - last.sinceMs >= stalledMs) socket.resetAndDestroy();
    }
  }, stalledMs / STALL_LOOKS).unref();
  server.once('close', () => clearInterval(timer));
}

function markOf(socket: Socket): Mark {
  return { written: socket.bytesWritten, queued: queuedOf(socket), sinceMs: performance.now() };
}

/**
 * Bytes that the system has not taken yet. A long answer is one write, which ends with its last byte; only the handle, which
 * Node's own timeout looks at too, tells how much of it is left.
 */
function queuedOf(socket: Socket): number {
  const { _handle: handle } = socket as { readonly _handle?: { readonly writeQueueSize?: number } | null };
  return handle?.writeQueueSize ?? socket.writableLength;
}
