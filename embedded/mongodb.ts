import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { MongoClient } from 'mongodb';
import { startDaemon } from './daemon.ts';
import type { Supervised } from './supervise.ts';
import { dataFolder, type MongodbServer } from './mongodb-server.ts';
import { defined, type Env } from './programs.ts';
import type { Log } from './ways.ts';

const READY_TIMEOUT_MS = 60_000;
const CHECK_TIMEOUT_MS = 2_000;

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
  const client = new MongoClient(mongodbUri(options.port), {
    serverSelectionTimeoutMS: CHECK_TIMEOUT_MS,
    connectTimeoutMS: CHECK_TIMEOUT_MS,
  });
  try {
    return await startDaemon({
      name: 'MongoDB',
      program: server.program,
      args:
        server.kind === 'mongod'
          ? ['--dbpath', data, '--bind_ip', '127.0.0.1', '--port', port, '--quiet', '--nounixsocket']
          : [`127.0.0.1:${port}`, data],
      env: defined(options.env),
      cwd: stateDir,
      logFile: join(stateDir, `${server.kind}.log`),
      check: async () => {
        await client.db('admin').command({ ping: 1 });
      },
      readyTimeoutMs: READY_TIMEOUT_MS,
      log: options.log,
    });
  } finally {
    await client.close();
  }
}

/** Connection string of the server on a port of 127.0.0.1. */
export function mongodbUri(port: number): string {
  return `mongodb://127.0.0.1:${String(port)}/`;
}
