import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inject } from 'vitest';
import { defaultCacheDir } from '../../local/engines/cache.ts';
import { freePort } from '../../local/engines/ports.ts';
import { startToxiproxy } from '../../local/engines/toxiproxy.ts';
import { createAccountStore } from '../../store/accounts.ts';
import { createKeyStore } from '../../store/keys.ts';
import { openMongo, type Mongo } from '../../store/mongo.ts';
import { mongodbServer, TcpProxy } from '../../quality/chaos/tcp-proxy.ts';
import { FaultyLine } from './faulty-line.ts';
import { bucketSettings } from './file-stores.ts';
import { startReceiver, type Receiver } from './receiver.ts';
import { TestService } from './service.ts';

export const LINKS = ['temporal', 'mongodb', 'platform', 'receiver', 'files'] as const;
export type Link = (typeof LINKS)[number];

const STOP_GRACE_MS = 5_000;

/** A whole service each of whose lines can be spoilt: to Temporal, MongoDB, the platforms, the receiver of webhooks, the bucket. */
export interface FaultBench {
  readonly service: TestService;
  readonly lines: Readonly<Record<Link, FaultyLine>>;
  readonly receiver: Receiver;
  /** The receiver, through its line. */
  readonly webhookUrl: string;
  /** The database by a line of its own that nothing befalls. */
  readonly mongo: Mongo;
  readonly bucket: string;
  /** Pays for the jobs. */
  readonly key: { readonly id: string; readonly text: string };
  close(): Promise<void>;
}

export async function openFaultBench(): Promise<FaultBench> {
  const stateDir = await mkdtemp(join(tmpdir(), 'tapedeck-faults-'));
  const log = (line: string): void => console.log(line);
  const toxiproxy = await startToxiproxy({
    ...{ env: process.env, cacheDir: defaultCacheDir(process.env), log, stateDir },
  });
  const receiver = await startReceiver();
  const sandboxPort = await freePort();
  const bucket = await bucketSettings();
  // toxiproxy knows TCP only.
  const database = await TcpProxy.start(mongodbServer(inject('mongodbUri')));
  const open = (name: Link, target: string) => FaultyLine.open(name, { api: toxiproxy.url, target });
  const lines = {
    temporal: await open('temporal', inject('temporalAddress')),
    mongodb: await open('mongodb', database.address),
    platform: await open('platform', `127.0.0.1:${String(sandboxPort)}`),
    receiver: await open('receiver', new URL(receiver.url).host),
    files: await open('files', new URL(inject('s3').endpoint).host),
  };
  const service = await TestService.start({
    platform: { port: sandboxPort, publicUrl: `http://${lines.platform.address}` },
    env: {
      ...{ TEMPORAL_ADDRESS: lines.temporal.address, MONGODB_URI: `mongodb://${lines.mongodb.address}/` },
      ...{ FILES_STORE: 's3', ...bucket, S3_ENDPOINT: `http://${lines.files.address}` },
      // A job in trouble keeps its turn for a while.
      ...{ VIDNET_MAX_JOBS: '20', MAX_FETCHES: '4' },
    },
  });
  const name = service.stack.env['MONGODB_DATABASE'] ?? '';
  const mongo = openMongo({ uri: inject('mongodbUri'), database: name, timeoutMs: 10_000 });
  const key = await createKeyStore(mongo.db).create({ name: 'faults', scopes: ['read', 'jobs'] });
  await createAccountStore(mongo.db).open(key.id, 1_000_000);
  return {
    ...{ service, lines, receiver, mongo, bucket: bucket['S3_BUCKET'] ?? '', key },
    webhookUrl: receiver.url.replace(new URL(receiver.url).host, lines.receiver.address),
    async close() {
      await mongo.close();
      await service.stop();
      await receiver.close();
      await toxiproxy.daemon.stop(STOP_GRACE_MS);
      await database.stop();
      await rm(stateDir, { recursive: true, force: true });
    },
  };
}
