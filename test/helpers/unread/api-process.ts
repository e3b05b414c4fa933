import { loadConfig } from '../../../config.ts';
// A process of the api whose memory a test measures: both facades on the test's database, without Temporal.
import { BlockList } from 'node:net';
import { pino } from 'pino';
import { ADMISSION_DEFAULTS, createAdmissionQueue } from '../../../api/admission-queue.ts';
import type { ServiceDeps } from '../../../api/service-deps.ts';
import { createEvents } from '../../../api/events/create-events.ts';
import { ANSWER_BUDGET, createAnswerBudget } from '../../../api/edge/answer-budget.ts';
import { CONNECTION_LIMITS } from '../../../api/edge/connections.ts';
import { serveRest } from '../../../api/edge/serve-rest.ts';
import { createRestApp } from '../../../api/http/rest-app.ts';
import { createRpcServer } from '../../../api/rpc/rpc-server.ts';
import { priceTable } from '../../../contract/kinds/prices.ts';
import { createAccountStore } from '../../../store/accounts/account-store.ts';
import { createKeyDownloadStore } from '../../../store/accounts/key-downloads.ts';
import { createContentsStore } from '../../../store/records/contents-store.ts';
import { createDeliveryStore } from '../../../store/records/delivery-store.ts';
import { createDiskFiles } from '../../../store/files/disk-files.ts';
import { createKeyStore } from '../../../store/accounts/key-store.ts';
import { createLinkSigner } from '../../../store/files/link-signer.ts';
import { createListStore } from '../../../store/records/list-store.ts';
import { openMongo } from '../../../store/mongo/mongo-client.ts';
import { createWebhookSubscriptionStore } from '../../../store/records/webhook-subscriptions.ts';
import { createSpeechLanguages } from '../../../store/records/speech-languages.ts';
import { createRecordStore } from '../../../store/records/record-store.ts';
import { createRequestCountStore } from '../../../store/accounts/request-counts.ts';
import { createWebhookSigner } from '../../../outbound/webhooks/webhook-signature.ts';
import { createDownloader, MEDIA_HOST_LIMITS } from '../../../outbound/download.ts';

export interface ApiProcessOptions {
  readonly mongodbUri: string;
  readonly database: string;
  readonly filesDir: string;
  readonly rpcToken: string;
}

export interface MemoryTold {
  /** What the process still refers to, in its heap and outside. */
  readonly retainedBytes: number;
}

const options = JSON.parse(process.argv[2] ?? '') as ApiProcessOptions;
const LINK_SECRET = 's'.repeat(32);

const { db } = openMongo({ uri: options.mongodbUri, database: options.database, timeoutMs: 5_000 });
const signer = createLinkSigner({ secrets: [LINK_SECRET], driveUrl: 'http://drive.example', ttlSeconds: 600 });
const records = createRecordStore(db);
const now = (): number => Date.now();
const lists = createListStore(db, { records, now });
const keyDownloads = createKeyDownloadStore(db);
const done = (): Promise<void> => Promise.resolve();
const jobs: ServiceDeps['jobs'] = {
  start: () => Promise.resolve('started'),
  running: () => Promise.resolve('closed'),
  subscribe: () => Promise.resolve(true),
  cancel: () => Promise.resolve(true),
  status: () => Promise.resolve({ state: 'unknown' }),
  ...{ waitFor: done, ping: done },
};
const stopping = new AbortController().signal;
const log = pino({ level: 'silent' });
const deps: ServiceDeps = {
  records,
  lists,
  keys: createKeyStore(db),
  accounts: createAccountStore(db),
  keyDownloads,
  requestCounts: createRequestCountStore(db),
  webhookSubscriptions: createWebhookSubscriptionStore(db),
  speechLanguages: createSpeechLanguages(db),
  files: createDiskFiles(options.filesDir),
  signer,
  jobs,
  ...createEvents({ records, keyDownloads, jobs, stopping, now, log }),
  admissionQueue: createAdmissionQueue(ADMISSION_DEFAULTS),
  deliveries: createDeliveryStore(db),
  redeliveries: { start: () => Promise.resolve(true) },
  webhooks: { post: () => Promise.reject(new Error('no webhooks here')), close: () => undefined },
  signWebhook: createWebhookSigner([]),
  webhookTestMs: 300,
  webhookAllowedNetworks: new BlockList(),
  rendering: {
    prices: priceTable({}),
    linkTo: (id, name) => signer.linkTo(id, name),
    contents: createContentsStore(db),
    lists,
  },
  defaultWaitSeconds: 0,
  platforms: loadConfig({
    VIDNET_VIDEO_URL: 'http://127.0.0.1:4000/{id}',
    VIDNET_CHANNEL_URL: 'http://127.0.0.1:4000/{path}',
    IMGNET_PLATFORM_URL: 'http://127.0.0.1:4000',
    IMGNET_API_TOKEN: 'token',
  }).platforms,
  workflowUrl: () => undefined,
  now,
  elapsed: () => performance.now(),
  checkEngines: () => Promise.resolve({ temporal: 'ok', mongodb: 'ok' }),
  answerBudget: createAnswerBudget(ANSWER_BUDGET),
  stopping,
  log,
};
const proxies = new BlockList();
proxies.addSubnet('127.0.0.0', 8, 'ipv4');
const urls = { publicUrl: 'http://api.example', driveUrl: 'http://drive.example' };
const access = { ...urls, isLoopback: true, allowsAnonymous: true, trustedProxies: proxies };
const downloadPicture = createDownloader({ ...MEDIA_HOST_LIMITS, allowedNetworks: new BlockList() });
const rest = serveRest(createRestApp(deps, { requestsPerMinute: 100_000, downloadPicture, ...access }), {
  ...{ port: 0, hostname: '127.0.0.1', proxies },
});
await rest.ready();
const rpc = createRpcServer(deps, { token: options.rpcToken, connections: CONNECTION_LIMITS });
await new Promise<void>((resolve) => rpc.listen(0, '127.0.0.1', resolve));

const held: Buffer[] = [];
process.on('message', (holdBytes: number) => {
  if (holdBytes > 0) held.push(Buffer.alloc(holdBytes, 1));
  // Run with --expose-gc: what is garbage is not what this is about.
  globalThis.gc?.();
  const { heapUsed, external } = process.memoryUsage();
  process.send?.({ retainedBytes: heapUsed + external } satisfies MemoryTold);
});
process.on('disconnect', () => process.exit());
process.send?.({ url: rest.url?.replace(/\/$/, ''), rpcPort: (rpc.address() as { port: number }).port });
