import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { choosePort } from './ports.ts';
import type { Env } from './programs.ts';

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
