import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Env, Log } from './environment.ts';

/** `preferred`: the customary port when it is free; `free`: any free one. */
export type PortChoice = 'preferred' | 'free';

const LOOPBACK = '127.0.0.1';

/**
 * Chooses a port on 127.0.0.1.
 *
 * @param wish `setting` names the environment variable that fixes the port; `preferred` is the customary port; `what` names in messages what it is for
 * @throws when the setting is no port number, or that port is taken
 */
export async function choosePort(
  wish: { env: Env; setting: string; preferred: number; choice: PortChoice; what?: string },
  log: Log,
): Promise<number> {
  const { setting, preferred, what = setting } = wish;
  const given = wish.env[setting];
  if (given !== undefined && given !== '' && given !== '0') {
    const port = Number(given);
    if (!Number.isInteger(port) || port < 1 || port > 65_535) throw new Error(`${setting}=${given} is no port number`);
    if (!(await isFree(port))) throw new Error(`${setting}=${given}: this port is already in use`);
    return port;
  }
  if (wish.choice === 'preferred' && given !== '0') {
    if (await isFree(preferred)) return preferred;
    const port = await freePort();
    log(`${what}: port ${preferred} is in use, taking ${port} instead (${setting} fixes it)`);
    return port;
  }
  return freePort();
}

const handedOut = new Set<number>();

/**
 * A port nobody listens on now, and that this process has not handed out before. Systems give none of these to connections
 * and to those who ask for any port: one would lie where a server that has died is to come back. All fit into two bytes with a
 * sign, in which Temporal's tables keep ports.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(10_000, 2 ** 15);
    if (handedOut.has(port) || !(await isFree(port))) continue;
    handedOut.add(port);
    return port;
  }
}

/** Whether nobody listens on a port of 127.0.0.1 now. */
export async function isFree(port: number): Promise<boolean> {
  return listenOnce(port).then(
    () => true,
    () => false,
  );
}

async function listenOnce(port: number): Promise<void> {
  const server = createServer().listen(port, LOOPBACK);
  await once(server, 'listening');
  await once(server.close(), 'close');
}

/** Whether somebody listens there. @throws when nobody does, or does not answer in time */
export async function checkListens(host: string, port: number, timeoutMs: number): Promise<void> {
  const socket = connect({ host, port });
  const timeout = AbortSignal.timeout(timeoutMs);
  try {
    await once(socket, 'connect', { signal: timeout });
  } catch (error) {
    throw timeout.aborted ? new Error(`${host}:${String(port)} does not answer`) : error;
  } finally {
    socket.destroy();
  }
}

/**
 * Ports that no browser connects to, whatever a page asks of it: all are "bad ports" of the Fetch standard. Left out are those
 * below 1024, those that some browser's settings can allow, those of X11 and NFS, which may be needed, and those that joined
 * the standard late: Chromium 156 connects to 4190 and 6679.
 */
export const REFUSED_BY_BROWSERS = [1719, 1720, 1723, 3659, 4045, 5060, 5061, 6665, 6666, 6667, 6668, 6669, 6697];

/**
 * Free ports of 127.0.0.1 that pages cannot reach. Another process may take one before it is used.
 *
 * @throws when fewer than `count` are free
 */
export async function portsWithoutPages(
  count: number,
  from: readonly number[] = REFUSED_BY_BROWSERS,
): Promise<readonly number[]> {
  const chosen: number[] = [];
  // In another order each time, so that two that start together seldom want the same.
  for (const port of from.toSorted(() => Math.random() - 0.5)) {
    if (chosen.length === count) break;
    if (await isFree(port)) chosen.push(port);
  }
  if (chosen.length < count) {
    throw new Error(
      `Temporal needs ${String(count)} of the ports that browsers refuse (${from.join(', ')}), of which ${String(chosen.length)} are free: stop another stack, or set TEMPORAL_ADDRESS`,
    );
  }
  return chosen;
}

/** What fits into the address of a socket on macOS, which has the least room: 104 bytes with the zero at the end. */
const MAX_SOCKET_PATH_BYTES = 103;

/** Where the embedded MongoDB listens. */
export interface MongodbAddress {
  /** Absolute path of a Unix socket, or a port of 127.0.0.1. */
  readonly at: { readonly socket: string } | { readonly port: number };
  readonly uri: string;
  /** To be called when the server has ended. */
  readonly release: () => Promise<void>;
}

/**
 * A socket in the state folder, which only its owner may enter: the server asks for no password, so on a port any user of
 * the machine could write to it. MONGODB_PORT asks for that all the same; `0` is any free one.
 *
 * @param stateDir an absolute path
 * @throws when MONGODB_PORT is no port number, or that port is taken
 */
export async function mongodbAddress(env: Env, stateDir: string): Promise<MongodbAddress> {
  const given = env['MONGODB_PORT'];
  if (given !== undefined && given !== '') {
    const wish = { env, setting: 'MONGODB_PORT', preferred: 27_017, choice: 'free' as const };
    const port = await choosePort(wish, () => undefined);
    return { at: { port }, uri: `mongodb://127.0.0.1:${String(port)}/`, release: () => Promise.resolve() };
  }
  if (fits(stateDir)) return { ...bySocket(stateDir), release: () => Promise.resolve() };
  // A new folder each time: nobody can have made it before us, as a link to somewhere or readable by others.
  const dir = await mkdtemp(join(fits(join(tmpdir(), 'tapedeck-XXXXXX')) ? tmpdir() : '/tmp', 'tapedeck-'));
  return { ...bySocket(dir), release: () => rm(dir, { recursive: true, force: true }) };
}

function bySocket(dir: string): Pick<MongodbAddress, 'at' | 'uri'> {
  const socket = join(dir, 'mongodb.sock');
  return { at: { socket }, uri: `mongodb://${encodeURIComponent(socket)}/` };
}

/** @param dir where sockets are to be; mongod makes one beside ours, with a longer name */
function fits(dir: string): boolean {
  return Buffer.byteLength(join(dir, 'mongodb-27017.sock')) <= MAX_SOCKET_PATH_BYTES;
}
