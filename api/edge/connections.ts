import type { Server, ServerOptions } from 'node:http';
import { BlockList, type Server as NetServer } from 'node:net';
import { inNetworks } from '../../outbound/addresses.ts';
import { addressGroup } from '../access/client-address.ts';
import { answerMalformedRequests } from './malformed-requests.ts';
import { cutStalled } from './stalled.ts';

export interface ConnectionLimits {
  /** A connection on which bytes wait, and none was taken for this long, is cut. */
  readonly stalledMs: number;
  readonly headersMs: number;
  /** The whole request, with its body of at most 64 KiB. */
  readonly requestMs: number;
  /** Connections of one address, or of one network of IPv6. */
  readonly perAddress: number;
  readonly inAll: number;
}

/** `Prefer: wait` holds a connection for a minute, so many are fine; one that only sits there goes after seconds. */
export const CONNECTION_LIMITS: ConnectionLimits = {
  ...{ stalledMs: 30_000, headersMs: 10_000, requestMs: 15_000, perAddress: 512, inAll: 2_048 },
};

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
  server.maxConnections = limits.inAll;
  server.maxRequestsPerSocket = 1_000;
  cutStalled(server, limits.stalledMs);
  capPerAddress(server, limits.perAddress, proxies);
  answerMalformedRequests(server);
}

/** Refuses further connections of an address, but of this machine and of our own proxies, who may bring many. */
export function capPerAddress(server: NetServer, perAddress: number, proxies?: BlockList): void {
  const counts = new Map<string, number>();
  server.on('connection', (socket) => {
    const { remoteAddress } = socket;
    if (remoteAddress === undefined || inNetworks(remoteAddress, LOOPBACK)) return;
    if (proxies !== undefined && inNetworks(remoteAddress, proxies)) return;
    const group = addressGroup(remoteAddress);
    const count = (counts.get(group) ?? 0) + 1;
    if (count > perAddress) {
      socket.destroy();
      return;
    }
    counts.set(group, count);
    socket.once('close', () => {
      const left = (counts.get(group) ?? 1) - 1;
      if (left === 0) counts.delete(group);
      else counts.set(group, left);
    });
  });
}
