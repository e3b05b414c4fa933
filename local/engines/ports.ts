import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { connect, createServer, type NetConnectOpts } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Env, Log } from './environment.ts';

/** `preferred`: the customary port when it is free; `free`: any free one. */
export type PortChoice = 'preferred' | 'free';

const LOOPBACK = '127.0.0.1';

export async function choosePort(
  wish: { env: Env; setting: string; preferred: number; choice: PortChoice; what?: string },
  log: Log,
): Promise<number> {
  const { setting, preferred, what = setting } = wish;
  const given = wish.env[setting];
  if (given !== undefined && given !== '' && given !== '0') {
    const port = Number(given);
    if (!Number.isInteger(port) || port < 1 || port > 65_535)
      throw new Error(`${setting}=${given} is not a port number`);
    if (!(await isFree(port))) throw new Error(`${setting}=${given}: this port is already in use`);
    return port;
  }
  if (wish.choice === 'preferred' && given !== '0') {
    if (await isFree(preferred)) return preferred;
    const port = await freePort();
    log(`${what}: port ${preferred} is in use; using ${port} instead (set ${setting} to choose a port)`);
    return port;
  }
  return freePort();
}

const handedOut = new Set<number>();

/** Below the system's ephemeral ports, so that a restart finds it free; a signed 16-bit integer for Temporal's tables. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(10_000, 2 ** 15);
    if (handedOut.has(port) || !(await isFree(port))) continue;
    handedOut.add(port);
    return port;
  }
}

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

export async function checkListens(at: NetConnectOpts, timeoutMs: number): Promise<void> {
  const socket = connect(at);
  const timeout = AbortSignal.timeout(timeoutMs);
  try {
    await once(socket, 'connect', { signal: timeout });
  } catch (error) {
    throw timeout.aborted ? new Error(`${Object.values(at).join(':')} does not answer`) : error;
  } finally {
    socket.destroy();
  }
}

/**
 * "Bad ports" of the Fetch standard, which browsers refuse, without those below 1024, those that browsers can be configured to
 * allow, those of X11 and NFS, and recent additions (Chromium 156 connects to 4190 and 6679).
 */
export const REFUSED_BY_BROWSERS = [1719, 1720, 1723, 3659, 4045, 5060, 5061, 6665, 6666, 6667, 6668, 6669, 6697];

/** @returns free ports of 127.0.0.1 that browsers refuse @throws if fewer than `count` are free */
export async function portsWithoutPages(
  count: number,
  from: readonly number[] = REFUSED_BY_BROWSERS,
): Promise<readonly number[]> {
  const chosen: number[] = [];
  // In random order, so that two starts seldom choose the same.
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

/** The limit of macOS, which is the lowest: 104 bytes including a final zero. */
const MAX_SOCKET_PATH_BYTES = 103;

export interface MongodbAddress {
  readonly at: { readonly socket: string } | { readonly port: number };
  readonly uri: string;
  readonly release: () => Promise<void>;
}

/** The default is a socket that only its owner can open: the server has no password, so any user could write to a port. */
export async function mongodbAddress(env: Env, stateDir: string): Promise<MongodbAddress> {
  const given = env['MONGODB_PORT'];
  if (given !== undefined && given !== '') {
    const wish = { env, setting: 'MONGODB_PORT', preferred: 27_017, choice: 'free' as const };
    const port = await choosePort(wish, () => undefined);
    return { at: { port }, uri: `mongodb://127.0.0.1:${String(port)}/`, release: () => Promise.resolve() };
  }
  if (fits(stateDir)) return { ...bySocket(stateDir), release: () => Promise.resolve() };
  // The folder is new each time, so no other user can have prepared it.
  const dir = await mkdtemp(join(fits(join(tmpdir(), 'tapedeck-XXXXXX')) ? tmpdir() : '/tmp', 'tapedeck-'));
  return { ...bySocket(dir), release: () => rm(dir, { recursive: true, force: true }) };
}

function bySocket(dir: string): Pick<MongodbAddress, 'at' | 'uri'> {
  const socket = join(dir, 'mongodb.sock');
  return { at: { socket }, uri: `mongodb://${encodeURIComponent(socket)}/` };
}

/** mongod creates a second socket, with this longer name. */
function fits(dir: string): boolean {
  return Buffer.byteLength(join(dir, 'mongodb-27017.sock')) <= MAX_SOCKET_PATH_BYTES;
}
