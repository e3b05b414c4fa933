import type { Server as NodeServer } from 'node:http';
import type { BlockList } from 'node:net';
import { serve, type H3 } from 'h3';
import type { Server } from 'srvx';
import { CONNECTION_LIMITS, guardConnections, serverOptions, type ConnectionLimits } from './connections.ts';

export interface ServeOptions {
  readonly port: number;
  readonly hostname: string;
  /** Networks of our own proxies. */
  readonly proxies: BlockList;
  readonly connections?: ConnectionLimits;
}

/** Listens with the REST facade. */
export function serveRest(app: H3, { port, hostname, proxies, connections = CONNECTION_LIMITS }: ServeOptions): Server {
  const node = serverOptions(connections);
  // We stop in our own order; the server's own handling of signals would end the process first.
  const server = serve(app, { port, hostname, node, gracefulShutdown: false, silent: true });
  guardConnections(server.node?.server as NodeServer, connections, proxies);
  return server;
}
