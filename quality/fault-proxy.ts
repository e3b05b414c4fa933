import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';

type Direction = 'upstream' | 'downstream';

/** The faults of a connection, named as in toxiproxy where it has the same fault. */
export const FAULTS = [
  /** Delays data by half a second in each direction. */
  'latency',
  /** Drops all data. Open connections are closed when the fault ends. */
  'blackhole',
  /** Drops only the answers of the server. Open connections are closed when the fault ends. */
  'unanswered',
  /** Ends each connection with the first byte of an answer. */
  'reset_peer',
  /** Sends pieces of 32 to 96 bytes, a millisecond apart. */
  'slicer',
  /** Ends each connection within an answer. */
  'limit_data',
  /** Limits the rate to 4 kB/s. */
  'bandwidth',
  /** Resets open connections and refuses new ones. */
  'down',
] as const;
/** `hang` drops all data, as a firewall does. Connections that were open stay dead after the fault ends. */
export type Fault = (typeof FAULTS)[number] | 'hang';

const ONLY_ANSWERS: readonly Fault[] = ['unanswered', 'reset_peer', 'limit_data'];
const SWALLOWING: readonly Fault[] = ['blackhole', 'unanswered'];
const LATENCY_MS = 500;
const LIMIT_BYTES = 1_000;

/** A proxy to a server on loopback that can inject faults. */
export class FaultProxy {
  /** host:port */
  readonly address: string;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  /** Sockets that were open during the fault `hang`. */
  readonly #dead = new WeakSet<Socket>();
  #fault: Fault | undefined;

  private constructor(server: Server) {
    this.#server = server;
    this.address = `127.0.0.1:${String((server.address() as AddressInfo).port)}`;
  }

  /** @param target host:port or the path of a Unix socket; a function where it is known only after the line has an address */
  static async start(target: string | (() => string)): Promise<FaultProxy> {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const proxy = new FaultProxy(server);
    server.on('connection', (client) => {
      if (proxy.#fault === 'down') return void client.resetAndDestroy();
      const upstream = dial(typeof target === 'string' ? target : target());
      proxy.#forward(client, upstream, 'upstream');
      proxy.#forward(upstream, client, 'downstream');
    });
    return proxy;
  }

  /** Starts a fault, which also affects open connections. */
  spoil(fault: Fault): void {
    this.#fault = fault;
    if (fault === 'down') for (const socket of this.#sockets) breakOff(socket);
    if (fault === 'hang') for (const socket of this.#sockets) this.#dead.add(socket);
  }

  mend(): void {
    const fault = this.#fault;
    this.#fault = undefined;
    if (fault !== undefined && SWALLOWING.includes(fault)) for (const socket of this.#sockets) socket.destroy();
  }

  async stop(): Promise<void> {
    this.spoil('down');
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #forward(from: Socket, to: Socket, direction: Direction): void {
    this.#sockets.add(from);
    if (this.#fault === 'hang') this.#dead.add(from);
    let passed = Promise.resolve();
    let leftBytes = LIMIT_BYTES;
    from.on('error', () => to.destroy());
    from.on('close', () => {
      this.#sockets.delete(from);
      void passed.then(() => to.destroySoon());
    });
    from.on('data', (bytes: Buffer) => {
      const fault = this.#faultOf(direction);
      if (this.#dead.has(from) || (fault !== undefined && SWALLOWING.includes(fault))) return;
      if (fault === 'reset_peer') {
        breakOff(from);
        breakOff(to);
        return;
      }
      const arrivedMs = performance.now();
      const isLimited = fault === 'limit_data';
      const taken = isLimited ? bytes.subarray(0, leftBytes) : bytes;
      if (isLimited) leftBytes -= taken.length;
      // Delayed data does not hold up the data that follows.
      if (fault !== 'latency') from.pause();
      passed = passed.then(async () => {
        await this.#pass(taken, { to, direction, arrivedMs });
        if (isLimited && leftBytes === 0) from.destroy();
        else from.resume();
      });
    });
  }

  async #pass(bytes: Buffer, way: { to: Socket; direction: Direction; arrivedMs: number }): Promise<void> {
    const fault = this.#faultOf(way.direction);
    if (fault === 'latency') await delay(way.arrivedMs + LATENCY_MS - performance.now());
    for (let at = 0; at < bytes.length;) {
      // The remaining data is sent at once when the fault has ended.
      const slice = this.#faultOf(way.direction) === fault ? sliceOf(fault) : undefined;
      const piece = bytes.subarray(at, at + (slice?.sizeBytes ?? bytes.length));
      at += piece.length;
      if (slice !== undefined) await delay(slice.everyMs);
      await new Promise<void>((resolve) => way.to.write(piece, () => resolve()));
    }
  }

  #faultOf(direction: Direction): Fault | undefined {
    const fault = this.#fault;
    return direction === 'upstream' && fault !== undefined && ONLY_ANSWERS.includes(fault) ? undefined : fault;
  }
}

function sliceOf(fault: Fault | undefined): { sizeBytes: number; everyMs: number } | undefined {
  if (fault === 'bandwidth') return { sizeBytes: 400, everyMs: 100 };
  return fault === 'slicer' ? { sizeBytes: 32 + Math.floor(Math.random() * 65), everyMs: 1 } : undefined;
}

/** @returns the server of a MongoDB connection string, as {@link FaultProxy.start} takes it */
export function mongodbServer(uri: string): string {
  return decodeURIComponent(new URL(uri).host);
}

/** Connects to `host:port` or to the path of a Unix socket. */
export function dial(target: string): Socket {
  if (target.startsWith('/')) return connect(target);
  const { hostname, port } = new URL(`tcp://${target}`);
  return connect(Number(port), hostname);
}

/** Resets a TCP connection. Unix sockets have no resets, so they are closed. */
function breakOff(socket: Socket): void {
  if (socket.remoteFamily === undefined) socket.destroy();
  else socket.resetAndDestroy();
}
