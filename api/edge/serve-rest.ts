import type { Server as NodeServer } from 'node:http';
import type { BlockList } from 'node:net';
import { serve, type H3 } from 'h3';
import type { Server } from 'srvx';
import { CONNECTION_LIMITS, guardConnections, serverOptions, type ConnectionLimits } from './connections.ts';

interface ServeOptions {
  readonly port: number;
  readonly hostname: string;
  readonly proxies: BlockList;
  readonly connections?: ConnectionLimits;
}

export function serveRest(app: H3, { port, hostname, proxies, connections = CONNECTION_LIMITS }: ServeOptions): Server {
  const node = serverOptions(connections);
  // The process stops its parts in a defined order; the server's own signal handling would end it earlier.
  const server = serve(app, { port, hostname, node, gracefulShutdown: false, silent: true });
  guardConnections(server.node?.server as NodeServer, connections, proxies);
  return server;
}
