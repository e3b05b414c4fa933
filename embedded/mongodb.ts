import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { MongoClient } from 'mongodb';
import { startDaemon } from './daemon.ts';
import type { Supervised } from './supervise.ts';
import { dataFolder, type MongodbServer } from './mongodb-server.ts';
import { defined, type Env } from './programs.ts';
import type { Log } from './ways.ts';

const READY_TIMEOUT_MS = 60_000;
/** Short: the driver waits half a second between its own tries, a new client tries at once. */
const CHECK_TIMEOUT_MS = 300;

export interface MongodbServerOptions {
  readonly server: MongodbServer;
  readonly env: Env;
  /** Folder of the data and the log. */
  readonly stateDir: string;
  readonly port: number;
  readonly log: Log;
}

/** Starts a MongoDB-wire server on 127.0.0.1, state kept in `stateDir`. @throws when it does not come up */
export async function startMongodb(options: MongodbServerOptions): Promise<Supervised> {
  const { server, stateDir } = options;
  const port = String(options.port);
  const data = dataFolder(stateDir, server.kind);
  await mkdir(data, { recursive: true, mode: 0o700 });
  const uri = mongodbUri(options.port);
  return startDaemon({
    name: 'MongoDB',
    program: server.program,
    args:
      server.kind === 'mongod'
        ? ['--dbpath', data, '--bind_ip', '127.0.0.1', '--port', port, '--quiet', '--nounixsocket']
        : [`127.0.0.1:${port}`, data],
    env: defined(options.env),
    cwd: stateDir,
    logFile: join(stateDir, `${server.kind}.log`),
    check: () => pingMongodb(uri, CHECK_TIMEOUT_MS),
    readyTimeoutMs: READY_TIMEOUT_MS,
    log: options.log,
  });
}

/** Whether a server answers. @throws when it does not within the time */
export async function pingMongodb(uri: string, timeoutMs: number): Promise<void> {
  const client = new MongoClient(uri, { serverSelectionTimeoutMS: timeoutMs, connectTimeoutMS: timeoutMs });
  try {
    await client.db('admin').command({ ping: 1 });
  } finally {
    await client.close();
  }
}

/** Connection string of the server on a port of 127.0.0.1. */
export function mongodbUri(port: number): string {
  return `mongodb://127.0.0.1:${String(port)}/`;
}
