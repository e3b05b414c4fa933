import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { readFile } from 'node:fs/promises';
import { chromium, type BrowserContext, type Page } from 'playwright-core';
import { defaultCacheDir } from '../../../local/engines/cache.ts';
import { chromium as chromiumTool } from '../../../local/engines/chromium.ts';
import { ensure } from '../../../local/engines/strategies.ts';
import { serveOnLoopback } from '../../../local/loopback-server.ts';

/** A slow machine takes more than half a minute to show the first page. */
export const ATTACK_TIMEOUT_MS = 120_000;

const LOOPBACK = '127.0.0.1';
/** For a browser: any address leads to loopback, and so does any name below `localhost`. */
export const NAMES_OF_LOOPBACK: readonly string[] = [LOOPBACK, 'localhost', 'a-page.localhost', '0.0.0.0'];
const SOCKS_5 = 5;
const NO_PASSWORD = 0;
const SUCCEEDED = 0;
const UNREACHABLE = 4;
const ADDRESS_TYPE = { ipv4: 1, name: 3 } as const;

/** The name resolution of a browser, which looks up no name itself and connects through this server. */
interface Resolver {
  /** For `--proxy-server`. */
  readonly url: string;
  /** Directs any port of the name to this port, as the answer of an attacker's name server does. */
  lead(name: string, port: number): void;
  /** Directs the name to the requested port of 127.0.0.1. */
  rebind(name: string): void;
  close(): Promise<void>;
}

/**
 * Starts a SOCKS 5 server that connects the names that a test has directed and those of loopback, and nothing else: so a
 * browser does not leave the machine. It passes bytes on unchanged.
 */
async function startResolver(): Promise<Resolver> {
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

/**
 * What Chromium itself puts between pages and the machine's own ports is off, since other browsers and older ones have none of it: what
 * holds must be the service's own. The rest of the web's security is on.
 */
const OFF = [
  ...['LocalNetworkAccessChecks', 'LocalNetworkAccessChecksWebSockets', 'LocalNetworkAccessChecksWebRTC'],
  ...[
    'PrivateNetworkAccessSendPreflights',
    'PrivateNetworkAccessRespectPreflightResults',
    'BlockInsecurePrivateNetworkRequests',
  ],
  // A process for each window, for a bar that nobody sees.
  ...['PreloadTopChromeWebUI', 'WebUITabStrip'],
];

export interface PageRequest {
  readonly url: string;
  readonly init?: {
    readonly method?: string;
    readonly headers?: Readonly<Record<string, string>>;
    readonly body?: string;
  };
}

/** An answer that reached the browser, whether or not it let the page see it. */
export interface Arrived {
  readonly url: string;
  readonly method: string;
  readonly status: number;
}

/** A page of an attacker in a real browser. */
export interface ForeignPage {
  /** What the page could read of each; status 0 and no text for what the browser keeps from it. */
  fetchAll(requests: readonly PageRequest[]): Promise<{ status: number; text: string }[]>;
  /** Makes elements with these sources. @returns the event of each */
  loadAll(tag: 'script' | 'iframe', urls: readonly string[]): Promise<('load' | 'error' | 'nothing')[]>;
  /** Posts forms into frames. */
  formAll(forms: readonly { url: string; json: string }[]): Promise<void>;
  /** Has somebody click on a link. @throws when the page that it leads to does not show the text within half a minute */
  follow(url: string, text: string): Promise<void>;
  /** Addresses in the frames of the page; where a document does not let itself be framed, it is one of the browser's own. */
  framed(): string[];
  arrived(): Arrived[];
  close(): Promise<void>;
}

export interface Attacker {
  /** A page on a site of its own. */
  elsewhere(): Promise<ForeignPage>;
  /** A page on another port of 127.0.0.1: another origin, but for the browser the same site. */
  otherPort(): Promise<ForeignPage>;
  /**
   * A page whose name leads to 127.0.0.1 since it was loaded, so that its own origin is now what listens on this port.
   * Undefined for the few ports that the browser connects to for no page.
   */
  rebound(port: number): Promise<(ForeignPage & { readonly origin: string }) | undefined>;
  close(): Promise<void>;
}

/** Sets up a Chromium when needed. @throws {NoWayError} that says what to install */
export async function startAttacker(): Promise<Attacker> {
  const log = (line: string): void => console.log(line);
  const found = await ensure(chromiumTool({ env: process.env, cacheDir: defaultCacheDir(process.env), log }), log);
  const [resolver, pages] = await Promise.all([startResolver(), startPageServer()]);
  const browser = await chromium.launch({
    executablePath: found.value,
    proxy: { server: resolver.url },
    args: [`--disable-features=${OFF.join(',')}`, '--disable-quic', '--disable-gpu'],
  });
  // Cookies are shared by the pages of a context only; an attack needs none but its own.
  const open = async (url: string): Promise<ForeignPage> => {
    const context = await browser.newContext();
    return foreignPage(context, await context.newPage(), url);
  };
  let rebound = 0;
  return {
    elsewhere: async () => {
      resolver.lead('pages.test', pages.port);
      return open('http://pages.test/');
    },
    otherPort: () => open(`${pages.url}/`),
    rebound: async (port) => {
      const name = `r${String(rebound++)}.rebind.test`;
      const origin = `http://${name}:${String(port)}`;
      resolver.lead(name, pages.port);
      try {
        const page = await open(`${origin}/`);
        resolver.rebind(name);
        return { ...page, origin };
      } catch (error) {
        if (error instanceof Error && error.message.includes('ERR_UNSAFE_PORT')) return undefined;
        throw error;
      }
    },
    close: async () => {
      await browser.close();
      await Promise.all([resolver.close(), pages.close()]);
    },
  };
}

async function foreignPage(context: BrowserContext, page: Page, url: string): Promise<ForeignPage> {
  await page.goto(url);
  // The browser's own account of its network: the events of its pages leave out what it then withheld from the page.
  const network = await context.newCDPSession(page);
  await network.send('Network.enable');
  const requests = new Map<string, { url: string; method: string }>();
  const statuses: [requestId: string, status: number][] = [];
  network.on('Network.requestWillBeSent', ({ requestId, request }) => requests.set(requestId, request));
  network.on('Network.responseReceivedExtraInfo', ({ requestId, statusCode }) =>
    statuses.push([requestId, statusCode]),
  );
  const call = <Result>(what: string, ...args: unknown[]): Promise<Result> =>
    page.evaluate<Result>(`attacks.${what}(...${JSON.stringify(args)})`).catch((error: unknown) => {
      // Its stack names positions in the page, which vitest would look for among the files.
      throw new Error(`${what}: ${error instanceof Error ? error.message : String(error)}`);
    });
  return {
    fetchAll: (requests) => call('fetchAll', requests),
    loadAll: (tag, urls) => call('loadAll', tag, urls),
    formAll: (forms) => call('formAll', forms),
    follow: async (url, text) => {
      await call('follow', url);
      await page.getByText(text).first().waitFor({ timeout: ATTACK_TIMEOUT_MS });
    },
    framed: () => page.frames().map((frame) => frame.url()),
    // Of the two events of a request either may come first.
    arrived: () =>
      statuses.flatMap(([id, status]) => {
        const { url, method } = requests.get(id) ?? {};
        return url === undefined || method === undefined ? [] : [{ url, method, status }];
      }),
    close: () => context.close(),
  };
}

/** Serves the page of the attacks. */
async function startPageServer() {
  const script = await readFile(new URL('./page.js', import.meta.url), 'utf8');
  const { url, stop } = await serveOnLoopback((request, response) => {
    const isPage = request.url === '/';
    response.writeHead(isPage ? 200 : 404, { 'content-type': 'text/html', connection: 'close' });
    response.end(isPage ? `<!doctype html><title>Foreign</title><body><script>${script}</script>` : '');
  });
  return { url, port: Number(new URL(url).port), close: stop };
}
