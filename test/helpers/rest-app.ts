import { loadConfig } from '../../config.ts';
import { randomBytes, randomUUID } from 'node:crypto';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { BlockList } from 'node:net';
import { pino, type Logger } from 'pino';
import { inject, vi } from 'vitest';
import { ADMISSION_DEFAULTS, createAdmissionQueue, type AdmissionQueueOptions } from '../../api/admission-queue.ts';
import type { DeliveryGateway } from '../../api/delivery-gateway.ts';
import type { ServiceDeps } from '../../api/service-deps.ts';
import { ANSWER_BUDGET, createAnswerBudget, type AnswerBudgetOptions } from '../../api/edge/answer-budget.ts';
import { CONNECTION_LIMITS, type ConnectionLimits } from '../../api/edge/connections.ts';
import { serveRest } from '../../api/edge/serve-rest.ts';
import { createEngineHealth } from '../../store/mongo/engine-health.ts';
import { createEvents } from '../../api/events/create-events.ts';
import { WATCH_LIMITS, type WatchLimits } from '../../api/events/job-watches.ts';
import type { JobGateway } from '../../api/job-gateway.ts';
import { DEFAULT_WAIT_SECONDS } from '../../contract/limits.ts';
import { createRestApp, type RestOptions } from '../../api/http/rest-app.ts';
import { createRpcClient } from '../../clients/typescript/src/rpc.ts';
import { createRpcServer } from '../../api/rpc/rpc-server.ts';
import { priceTable } from '../../contract/kinds/prices.ts';
import { createAccountStore } from '../../store/accounts/account-store.ts';
import { createKeyDownloadStore } from '../../store/accounts/key-downloads.ts';
import { createContentsStore } from '../../store/records/contents-store.ts';
import { createDeliveryStore } from '../../store/records/delivery-store.ts';
import { createDiskFiles } from '../../store/files/disk-files.ts';
import type { FileStore } from '../../store/files/file-store.ts';
import { createKeyStore } from '../../store/accounts/key-store.ts';
import { createLinkSigner } from '../../store/files/link-signer.ts';
import { createListStore } from '../../store/records/list-store.ts';
import { openMongo } from '../../store/mongo/mongo-client.ts';
import { createWebhookSubscriptionStore } from '../../store/records/webhook-subscriptions.ts';
import { createSpeechLanguages } from '../../store/records/speech-languages.ts';
import { createRecordStore } from '../../store/records/record-store.ts';
import { createRequestCountStore } from '../../store/accounts/request-counts.ts';
import type { WebhookClient } from '../../outbound/webhooks/webhook-client.ts';
import { createWebhookSigner } from '../../outbound/webhooks/webhook-signature.ts';
import { createDownloader, MEDIA_HOST_LIMITS } from '../../outbound/download.ts';

const WEBHOOK_KEY = Buffer.from('a key that signs webhooks');
export const WEBHOOK_SECRET = `whsec_${WEBHOOK_KEY.toString('base64')}`;

type FacadesOptions = Partial<
  Pick<RestOptions, 'isLoopback' | 'allowsAnonymous' | 'trustedProxies' | 'publicUrl' | 'loadConsole' | 'ytdlp'>
> & {
  readonly rpcToken?: string;
  readonly connections?: Partial<ConnectionLimits>;
  readonly answerBudget?: Partial<AnswerBudgetOptions>;
  readonly admissionQueue?: Partial<AdmissionQueueOptions>;
  /** How jobs and lists are looked at that somebody follows. */
  readonly looks?: Partial<WatchLimits>;
  /** Otherwise each probe looks at the engines anew, unless another one does. */
  readonly healthKeptMs?: number;
  /** Otherwise that of all tests. */
  readonly mongodbUri?: string;
  /** Otherwise one of its own. */
  readonly database?: string;
  /** Otherwise an empty folder. */
  readonly files?: FileStore;
  /** Networks of which pictures may be fetched although they are private; none by default. */
  readonly pictureNetworks?: BlockList;
  /** Otherwise nothing is logged. */
  readonly log?: Logger;
};

/** Both facades on a real socket and a real database; jobs and webhooks are as the test prepares them. */
export async function startFacades(requestsPerMinute = 100_000, options: FacadesOptions = {}) {
  const {
    rpcToken = randomBytes(24).toString('hex'),
    connections: limits,
    answerBudget,
    admissionQueue,
    looks,
    healthKeptMs: keptMs = 0,
    mongodbUri = inject('mongodbUri'),
    database = `api-${randomUUID().slice(0, 8)}`,
    log = pino({ level: 'silent' }),
    files = createDiskFiles(join(tmpdir(), `tapedeck-files-${randomUUID()}`)),
    pictureNetworks = new BlockList(),
    ...access
  } = options;
  const mongo = openMongo({ uri: mongodbUri, database, timeoutMs: 5_000 });
  const jobs = {
    start: vi.fn<JobGateway['start']>().mockResolvedValue('started'),
    running: vi.fn<JobGateway['running']>().mockResolvedValue('closed'),
    subscribe: vi.fn<JobGateway['subscribe']>().mockResolvedValue(true),
    cancel: vi.fn<JobGateway['cancel']>().mockResolvedValue(true),
    status: vi.fn<JobGateway['status']>().mockResolvedValue({ state: 'unknown' }),
    waitFor: vi.fn<JobGateway['waitFor']>().mockResolvedValue(),
    ping: vi.fn<JobGateway['ping']>().mockResolvedValue(),
  };
  const webhooks = { post: vi.fn<WebhookClient['post']>(), close: vi.fn() };
  const redeliveries = { start: vi.fn<DeliveryGateway['start']>().mockResolvedValue(true) };
  const signer = createLinkSigner({ secrets: ['s'.repeat(32)], driveUrl: 'http://drive.example', ttlSeconds: 60 });
  const contents = createContentsStore(mongo.db);
  const stopping = new AbortController();
  const now = vi.fn<ServiceDeps['now']>(() => Date.now());
  const elapsed = vi.fn<ServiceDeps['elapsed']>(() => performance.now());
  const records = createRecordStore(mongo.db);
  const lists = createListStore(mongo.db, { records, now });
  const keyDownloads = createKeyDownloadStore(mongo.db);
  const deps: ServiceDeps = {
    records,
    lists,
    keys: createKeyStore(mongo.db),
    accounts: createAccountStore(mongo.db),
    keyDownloads,
    requestCounts: createRequestCountStore(mongo.db),
    files,
    signer,
    jobs,
    ...createEvents(
      { records, keyDownloads, jobs, stopping: stopping.signal, now, log },
      { ...WATCH_LIMITS, ...looks },
    ),
    admissionQueue: createAdmissionQueue({ ...ADMISSION_DEFAULTS, ...admissionQueue }),
    webhookSubscriptions: createWebhookSubscriptionStore(mongo.db),
    speechLanguages: createSpeechLanguages(mongo.db),
    deliveries: createDeliveryStore(mongo.db),
    redeliveries,
    webhooks,
    signWebhook: createWebhookSigner([WEBHOOK_KEY]),
    webhookTestMs: 300,
    webhookAllowedNetworks: new BlockList(),
    rendering: { prices: priceTable({}), linkTo: (id, name) => signer.linkTo(id, name), contents, lists },
    defaultWaitSeconds: DEFAULT_WAIT_SECONDS,
    platforms: loadConfig({
      VIDNET_VIDEO_URL: 'http://127.0.0.1:4000/{id}',
      VIDNET_CHANNEL_URL: 'http://127.0.0.1:4000/{path}',
      IMGNET_PLATFORM_URL: 'http://127.0.0.1:4000',
      IMGNET_API_TOKEN: 'token',
    }).platforms,
    workflowUrl: (id) => `http://temporal.example/namespaces/default/workflows/${encodeURIComponent(id)}`,
    now,
    elapsed,
    checkEngines: createEngineHealth({ pingTemporal: () => jobs.ping(), pingMongo: () => mongo.ping(), keptMs }),
    answerBudget: createAnswerBudget({ ...ANSWER_BUDGET, ...answerBudget }),
    stopping: stopping.signal,
    log,
  };
  const app = createRestApp(deps, {
    ...{ requestsPerMinute, publicUrl: 'http://api.example', driveUrl: 'http://drive.example' },
    ...{ isLoopback: true, allowsAnonymous: true, trustedProxies: new BlockList(), ...access },
    downloadPicture: createDownloader({ ...MEDIA_HOST_LIMITS, allowedNetworks: pictureNetworks }),
  });
  const connections = { ...CONNECTION_LIMITS, ...limits };
  const proxies = access.trustedProxies ?? new BlockList();
  const rest = serveRest(app, { port: 0, hostname: '127.0.0.1', proxies, connections });
  await rest.ready();
  const rpc = createRpcServer(deps, { token: rpcToken, connections });
  await new Promise<void>((resolve) => rpc.listen(0, '127.0.0.1', resolve));
  const { port } = rpc.address() as { port: number };
  const url = (rest.url ?? '').replace(/\/$/, '');
  return {
    ...{ deps, jobs, redeliveries, webhooks, url, contents },
    rpcUrl: `http://127.0.0.1:${String(port)}`,
    rpcToken,
    db: mongo.db,
    stop: () => stopping.abort(),
    rpc: createRpcClient(`http://127.0.0.1:${String(port)}`, { token: rpcToken }),
    async post(
      path: string,
      body: string,
    ): Promise<{ status: number; headers: Headers; body: Record<string, unknown> }> {
      const response = await fetch(url + path, { method: 'POST', body });
      return {
        status: response.status,
        headers: response.headers,
        body: (await response.json()) as Record<string, unknown>,
      };
    },
    async close(): Promise<void> {
      await rest.close(true);
      await new Promise((resolve) => rpc.close(resolve));
      await mongo.db.dropDatabase();
      await mongo.close();
    },
  };
}
export type Facades = Awaited<ReturnType<typeof startFacades>>;
