import { connect, createServer, type Server, type Socket } from 'node:net';

/** A line to a server on loopback that can be cut, or made to hang. */
export class TcpProxy {
  readonly address: string;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  #isCut = false;
  #isHanging = false;

  private constructor(server: Server) {
    this.#server = server;
    this.address = `127.0.0.1:${String((server.address() as { port: number }).port)}`;
  }

  /** @param target host:port or the path of a Unix socket; a function where it is known only after the line has an address */
  static async start(target: string | (() => string)): Promise<TcpProxy> {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const proxy = new TcpProxy(server);
    server.on('connection', (client) => {
      if (proxy.#isCut) return void client.resetAndDestroy();
      const upstream = dial(typeof target === 'string' ? target : target());
      for (const [from, to] of [
        [client, upstream],
        [upstream, client],
      ] as const) {
        proxy.#sockets.add(from);
        from.on('error', () => to.destroy());
        from.on('close', () => {
          proxy.#sockets.delete(from);
          to.destroy();
        });
        if (proxy.#isHanging) from.resume();
        else from.pipe(to);
      }
    });
    return proxy;
  }

  /** Breaks what is open, and takes nothing new. */
  cut(): void {
    this.#isCut = true;
    for (const socket of this.#sockets) breakOff(socket);
  }

  /** Swallows everything and tells nobody, as a firewall does. What is open then stays dead when the line is mended. */
  hang(): void {
    this.#isHanging = true;
    for (const socket of this.#sockets) socket.unpipe().resume();
  }

  /** For new connections. */
  mend(): void {
    this.#isCut = false;
    this.#isHanging = false;
  }

  async stop(): Promise<void> {
    this.cut();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}

/** @returns the server of a MongoDB connection string, as {@link TcpProxy.start} takes it */
export function mongodbServer(uri: string): string {
  return decodeURIComponent(new URL(uri).host);
}

function dial(target: string): Socket {
  if (target.startsWith('/')) return connect(target);
  const { hostname, port } = new URL(`tcp://${target}`);
  return connect(Number(port), hostname);
}

/** Only TCP knows resets. */
function breakOff(socket: Socket): void {
  if (socket.remoteFamily === undefined) socket.destroy();
  else socket.resetAndDestroy();
}
