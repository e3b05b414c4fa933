// A process of the API whose memory a test measures: both facades on the test's database, without Temporal.
import { BlockList } from 'node:net';
import { createDiskFiles } from '../../../store/files/disk-files.ts';
import { openMongo } from '../../../store/mongo/mongo-client.ts';
import { serveFacades, serviceDeps } from '../service-deps.ts';

export interface ApiProcessOptions {
  readonly mongodbUri: string;
  readonly database: string;
  readonly filesDir: string;
  readonly rpcToken: string;
}

export interface MemoryReport {
  /** What the process still refers to, in its heap and outside. */
  readonly retainedBytes: number;
}

const { mongodbUri, database, filesDir, rpcToken } = JSON.parse(process.argv[2] ?? '') as ApiProcessOptions;
const { db } = openMongo({ uri: mongodbUri, database, timeoutMs: 5_000 });
const done = (): Promise<void> => Promise.resolve();
const { deps } = serviceDeps(db, {
  files: createDiskFiles(filesDir),
  jobs: {
    start: () => Promise.resolve('started'),
    running: () => Promise.resolve('closed'),
    subscribe: () => Promise.resolve(true),
    begin: () => Promise.resolve(true),
    cancel: () => Promise.resolve(true),
    status: () => Promise.resolve({ state: 'unknown' }),
    ...{ waitFor: done, ping: done },
  },
  redeliveries: { start: () => Promise.resolve(true) },
  webhooks: { post: () => Promise.reject(new Error('no webhooks here')), close: () => undefined },
  ...{ defaultWaitSeconds: 0, linkTtlSeconds: 600 },
});
const trustedProxies = new BlockList();
trustedProxies.addSubnet('127.0.0.0', 8, 'ipv4');
const { url, rpcUrl } = await serveFacades(deps, { rpcToken, trustedProxies });

const held: Buffer[] = [];
process.on('message', (holdBytes: number) => {
  if (holdBytes > 0) held.push(Buffer.alloc(holdBytes, 1));
  // The test starts it with --expose-gc, so that garbage does not count.
  globalThis.gc?.();
  const { heapUsed, external } = process.memoryUsage();
  process.send?.({ retainedBytes: heapUsed + external } satisfies MemoryReport);
});
process.on('disconnect', () => process.exit());
process.send?.({ url, rpcUrl });
