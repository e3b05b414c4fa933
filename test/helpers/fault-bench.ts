import { inject } from 'vitest';
import { freePort } from '../../local/engines/ports.ts';
import { createAccountStore } from '../../store/accounts/account-store.ts';
import { createKeyStore } from '../../store/accounts/key-store.ts';
import { openMongo, type Mongo } from '../../store/mongo/mongo-client.ts';
import { FaultProxy, mongodbServer } from '../../quality/fault-proxy.ts';
import { bucketSettings } from './file-stores.ts';
import { startWebhookReceiver, type WebhookReceiver } from '../../local/webhook-receiver.ts';
import { TestService } from './service.ts';
import { makeAccounts, createArchive, type Publication } from '../../local/sandbox/dataset-api/publications.ts';
import { publicationUrl } from '../../local/sandbox/dataset-api/records.ts';

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
      // A job in trouble keeps its slot for a while.
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

/** A request for a job. */
export interface Order {
  readonly path: string;
  readonly body: Readonly<Record<string, unknown>>;
}

const CHANNEL_PAGES = 8;

/**
 * Alternating requests for jobs of four kinds, each about a subject of its own: audio and video of one platform, contents and
 * audio of the other's posts.
 *
 * @param imgnetUrl base address of the posts
 */
export async function makeOrders(service: TestService, imgnetUrl: string): Promise<() => Order> {
  const videos = await listedVideos(service);
  const account = makeAccounts({ idSalt: service.idSalt }).find((one) => one.case === 'large')!;
  const archive = createArchive([account], { nowMs: Date.now(), idSalt: service.idSalt });
  const posts = archive.list(account, 'post');
  const reels = archive.list(account, 'reel');
  const video = () => ({ vidnet_video_id: nextOf(videos) });
  const post = (of: Generator<Publication>) => ({ url: publicationUrl(nextOf(of), imgnetUrl) });
  const kinds = [
    () => ({ path: '/api/downloads/audio', body: video() }),
    () => ({ path: '/api/imgnet/content', body: post(posts) }),
    () => ({ path: '/api/downloads/video', body: video() }),
    () => ({ path: '/api/imgnet/audio', body: post(reels) }),
  ];
  let count = 0;
  return () => kinds[count++ % kinds.length]!();
}

/** The newest videos of the channel that has thousands. */
async function listedVideos({ sandbox }: TestService): Promise<Iterator<string>> {
  const index = (await (await fetch(sandbox.url)).json()) as { channels: { url: string; case: string }[] };
  const channel = new URL(index.channels.find((one) => one.case === 'large')!.url).pathname;
  const ids: string[] = [];
  for (let page = 1; page <= CHANNEL_PAGES; page += 1) {
    const answer = await fetch(`${sandbox.url}${channel}?page=${String(page)}`);
    ids.push(...((await answer.json()) as { videos: { id: string }[] }).videos.map(({ id }) => id));
  }
  return ids.values();
}

function nextOf<Item>(items: Iterator<Item>): Item {
  const next = items.next();
  if (next.done === true) throw new Error('the sandbox has no more subjects');
  return next.value;
}
