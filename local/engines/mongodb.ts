import { mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { MongoClient } from 'mongodb';
import { startDaemon } from './daemon.ts';
import type { Supervised } from '../supervise.ts';
import { dataFolder, type MongodbServer } from './mongodb-server.ts';
import { programEnv, type Setup } from './environment.ts';
import type { MongodbAddress } from './ports.ts';

const READY_TIMEOUT_MS = 60_000;
/** Short, since a new client connects at once, while the driver waits half a second before it tries again. */
const CHECK_TIMEOUT_MS = 300;

export interface MongodbServerOptions extends Omit<Setup, 'cacheDir'> {
  readonly server: MongodbServer;
  readonly stateDir: string;
  readonly address: MongodbAddress;
}

/** @throws when it does not come up */
export async function startMongodb(options: MongodbServerOptions): Promise<Supervised> {
  const { server, stateDir } = options;
  const data = dataFolder(stateDir, server.kind);
  await mkdir(data, { recursive: true, mode: 0o700 });
  const { at, uri } = options.address;
  return startDaemon({
    name: 'MongoDB',
    program: server.program,
    args:
      server.kind === 'mongod'
        ? ['--dbpath', data, ...mongodListens(at), '--quiet']
        : ['socket' in at ? at.socket : `127.0.0.1:${String(at.port)}`, data],
    env: programEnv(options.env),
    cwd: stateDir,
    logFile: join(stateDir, `${server.kind}.log`),
    check: () => pingMongodb(uri, CHECK_TIMEOUT_MS),
    readyTimeoutMs: READY_TIMEOUT_MS,
    log: options.log,
  });
}

/** @throws when the server does not answer within the time */
export async function pingMongodb(uri: string, timeoutMs: number): Promise<void> {
  const client = new MongoClient(uri, { serverSelectionTimeoutMS: timeoutMs, connectTimeoutMS: timeoutMs });
  try {
    await client.db('admin').command({ ping: 1 });
  } finally {
    await client.close();
  }
}

function mongodListens(at: MongodbAddress['at']): readonly string[] {
  if ('port' in at) return ['--bind_ip', '127.0.0.1', '--port', String(at.port), '--nounixsocket'];
  // mongod also makes a socket named after its port, by default in /tmp.
  return ['--bind_ip', at.socket, '--unixSocketPrefix', dirname(at.socket)];
}
