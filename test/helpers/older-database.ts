import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { defaultCacheDir } from '../../local/engines/cache.ts';
import { startMongodb } from '../../local/engines/mongodb.ts';
import { ensureMongodbServer } from '../../local/engines/mongodb-server.ts';
import { mongodbAddress } from '../../local/engines/ports.ts';
import { openMongo, type Mongo } from '../../store/mongo.ts';
import { runTool } from './media.ts';

const DATA = join(import.meta.dirname, '../fixtures/4da8403/data.tar.gz');

/** The database that release 4da8403 left behind, on a server of its own. */
export async function startOlderDatabase() {
  const folder = await mkdtemp(join(tmpdir(), 'tapedeck-older-'));
  await runTool('tar', ['-xzf', DATA, '-C', folder, './mongodb']);
  const stateDir = join(folder, 'mongodb');
  const log = (): void => undefined;
  const setup = { env: process.env, cacheDir: defaultCacheDir(process.env), log };
  const { value: server } = await ensureMongodbServer(setup, stateDir);
  const address = await mongodbAddress({}, stateDir);
  const daemon = await startMongodb({ server, env: process.env, stateDir, address, log });
  const opened: Mongo[] = [];
  return {
    /** A connection, such as of one process. */
    open(): Mongo {
      const mongo = openMongo({ uri: address.uri, database: 'tapedeck', timeoutMs: 10_000 });
      opened.push(mongo);
      return mongo;
    },
    async stop(): Promise<void> {
      await Promise.all(opened.map((mongo) => mongo.close()));
      await daemon.stop(5_000);
      await rm(folder, { recursive: true, force: true });
    },
  };
}
