import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

const LOOPBACK = '127.0.0.1';
/** For a browser: any address leads to loopback, and so does any name below `localhost`. */
export const NAMES_OF_LOOPBACK: readonly string[] = [LOOPBACK, 'localhost', 'a-page.localhost', '0.0.0.0'];
const SOCKS_5 = 5;
const NO_PASSWORD = 0;
const SUCCEEDED = 0;
const UNREACHABLE = 4;
const ADDRESS_TYPE = { ipv4: 1, name: 3 } as const;

/** The name resolution of a browser: it looks up no name itself, all its connections are made here. */
export interface Resolver {
  /** For `--proxy-server`. */
  readonly url: string;
  /** Any port of the name leads to this port of ours from now on, as in the answer of an attacker's name server. */
  lead(name: string, port: number): void;
  /** The name leads to 127.0.0.1 from now on, to the very port that is asked for. */
  rebind(name: string): void;
  close(): Promise<void>;
}

/**
 * A SOCKS 5 server that connects names as a test says, the names of loopback as they are, and nothing else: so neither does a browser
 * leave the machine. It passes bytes on unchanged, so what a server sees is what it sees of a browser whose name server
 * does this.
 */
export async function startResolver(): Promise<Resolver> {
  const pagePorts = new Map<string, number>();
  const here = new Set(NAMES_OF_LOOPBACK);
  const open = new Map<Socket, string>();
  const server = createServer((browser) => {
    open.set(browser, '');
    browser.once('close', () => open.delete(browser));
    browser.on('error', () => undefined);
    const portOf = (name: string, port: number): number | undefined => {
      open.set(browser, name);
      return here.has(name) ? port : pagePorts.get(name);
    };
    void serve(browser, portOf).catch(() => browser.destroy());
  });
  server.listen(0, LOOPBACK);
  await once(server, 'listening');
  return {
    url: `socks5://${LOOPBACK}:${String((server.address() as AddressInfo).port)}`,
    lead: (name, port) => pagePorts.set(name, port),
    rebind: (name) => {
      here.add(name);
      // The browser keeps connections, and makes some beforehand, that still lead to the page's server.
      for (const [socket, connected] of open) if (connected === name) socket.destroy();
    },
    close: async () => {
      const closed = once(server, 'close');
      server.close();
      for (const socket of open.keys()) socket.destroy();
      await closed;
    },
  };
}

/** RFC 1928: a greeting, then the wish to connect to an address and a port. */
async function serve(browser: Socket, portOf: (name: string, port: number) => number | undefined): Promise<void> {
  const read = reader(browser);
  const [, methods = 0] = await read(2);
  await read(methods);
  browser.write(Buffer.from([SOCKS_5, NO_PASSWORD]));
  const [, , , type] = await read(4);
  const length = type === ADDRESS_TYPE.ipv4 ? 4 : type === ADDRESS_TYPE.name ? (await read(1))[0]! : 16;
  const address = await read(length);
  const wanted = (await read(2)).readUInt16BE(0);
  const name = type === ADDRESS_TYPE.name ? address.toString('latin1') : address.join('.');
  const port = portOf(name, wanted);
  const reply = (code: number): boolean => browser.write(Buffer.from([SOCKS_5, code, 0, 1, 0, 0, 0, 0, 0, 0]));
  if (port === undefined) {
    reply(UNREACHABLE);
    browser.end();
    return;
  }
  const target = connect({ host: LOOPBACK, port });
  target.once('error', () => browser.destroy());
  browser.once('close', () => target.destroy());
  target.once('close', () => browser.end());
  await once(target, 'connect');
  reply(SUCCEEDED);
  browser.pipe(target).pipe(browser);
}

/** Reads exact numbers of bytes and leaves the rest in the socket. @throws when it ends before */
function reader(socket: Socket): (bytes: number) => Promise<Buffer> {
  return async (bytes) => {
    for (;;) {
      const chunk = bytes === 0 ? Buffer.alloc(0) : (socket.read(bytes) as Buffer | null);
      if (chunk?.length === bytes) return chunk;
      if (socket.readableEnded || socket.destroyed) throw new Error('the browser has left');
      await Promise.race([once(socket, 'readable'), once(socket, 'close')]);
    }
  };
}
