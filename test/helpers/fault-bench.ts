import { inject } from 'vitest';
import { freePort } from '../../local/engines/ports.ts';
import { createAccountStore } from '../../store/accounts/account-store.ts';
import { createKeyStore } from '../../store/accounts/key-store.ts';
import { openMongo, type Mongo } from '../../store/mongo/mongo-client.ts';
import { FaultProxy, mongodbServer } from '../../quality/fault-proxy.ts';
import { bucketSettings } from './file-stores.ts';
import { startWebhookReceiver, type WebhookReceiver } from '../../local/webhook-receiver.ts';
import { TestService } from './service.ts';

export const LINKS = ['temporal', 'mongodb', 'platform', 'receiver', 'files'] as const;
export type Link = (typeof LINKS)[number];

/** A whole service each of whose lines can be spoilt: to Temporal, MongoDB, the platforms, the receiver of webhooks, the bucket. */
export interface FaultBench {
  readonly service: TestService;
  readonly lines: Readonly<Record<Link, FaultProxy>>;
  readonly receiver: WebhookReceiver;
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
  const receiver = await startWebhookReceiver();
  const sandboxPort = await freePort();
  const bucket = await bucketSettings();
  const lines = {
    temporal: await FaultProxy.start(inject('temporalAddress')),
    mongodb: await FaultProxy.start(mongodbServer(inject('mongodbUri'))),
    platform: await FaultProxy.start(`127.0.0.1:${String(sandboxPort)}`),
    receiver: await FaultProxy.start(new URL(receiver.url).host),
    files: await FaultProxy.start(new URL(inject('s3').endpoint).host),
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
      await Promise.all(Object.values(lines).map((line) => line.stop()));
    },
  };
}
