import { randomBytes, randomUUID } from 'node:crypto';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { BlockList } from 'node:net';
import type { Logger } from 'pino';
import { inject, vi } from 'vitest';
import { ADMISSION_DEFAULTS, createAdmissionQueue, type AdmissionQueueOptions } from '../../api/admission-queue.ts';
import type { DeliveryGateway } from '../../api/workflow-gateways.ts';
import { ANSWER_BUDGET, createAnswerBudget, type AnswerBudgetOptions } from '../../api/edge/answer-budget.ts';
import { CONNECTION_LIMITS, type ConnectionLimits } from '../../api/edge/connections.ts';
import type { WatchLimits } from '../../api/events/job-watches.ts';
import type { RestOptions } from '../../api/http/rest-app.ts';
import type { JobGateway } from '../../api/job-gateway.ts';
import type { ServiceDeps } from '../../api/service-deps.ts';
import { createRpcClient } from '../../clients/typescript/src/rpc.ts';
import type { WebhookClient } from '../../outbound/webhooks/webhook-client.ts';
import { createWebhookSigner } from '../../outbound/webhooks/webhook-signature.ts';
import { createDiskFiles } from '../../store/files/disk-files.ts';
import type { FileStore } from '../../store/files/file-store.ts';
import { createEngineHealth } from '../../store/mongo/engine-health.ts';
import { openMongo } from '../../store/mongo/mongo-client.ts';
import { serveFacades, serviceDeps } from './service-deps.ts';

const WEBHOOK_KEY = Buffer.from('a key that signs webhooks');
export const WEBHOOK_SECRET = `whsec_${WEBHOOK_KEY.toString('base64')}`;

type FacadesOptions = Partial<
  Pick<
    RestOptions,
    | 'isLoopback'
    | 'origins'
    | 'allowsAnonymous'
    | 'trustedProxies'
    | 'publicUrl'
    | 'loadConsole'
    | 'ytdlp'
    | 'uploads'
    | 'uploadMaxBytes'
  >
> & {
  readonly rpcToken?: string;
  readonly connections?: Partial<ConnectionLimits>;
  readonly answerBudget?: Partial<AnswerBudgetOptions>;
  readonly admissionQueue?: Partial<AdmissionQueueOptions>;
  /** How often jobs and lists are read that somebody follows. */
  readonly looks?: Partial<WatchLimits>;
  /** By default each probe checks the engines anew. */
  readonly healthKeptMs?: number;
  /** By default that of all tests. */
  readonly mongodbUri?: string;
  /** By default one of its own. */
  readonly database?: string;
  /** By default an empty folder. */
  readonly files?: FileStore;
  /** Networks of which pictures may be fetched although they are private; none by default. */
  readonly pictureNetworks?: BlockList;
  /** By default nothing is logged. */
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
    log,
    files = createDiskFiles(join(tmpdir(), `tapedeck-files-${randomUUID()}`)),
    pictureNetworks,
    ...access
  } = options;
  const mongo = openMongo({ uri: mongodbUri, database, timeoutMs: 5_000 });
  const jobs = {
    start: vi.fn<JobGateway['start']>().mockResolvedValue('started'),
    running: vi.fn<JobGateway['running']>().mockResolvedValue('closed'),
    subscribe: vi.fn<JobGateway['subscribe']>().mockResolvedValue(true),
    begin: vi.fn<JobGateway['begin']>().mockResolvedValue(true),
    cancel: vi.fn<JobGateway['cancel']>().mockResolvedValue(true),
    status: vi.fn<JobGateway['status']>().mockResolvedValue({ state: 'unknown' }),
    waitFor: vi.fn<JobGateway['waitFor']>().mockResolvedValue(),
    ping: vi.fn<JobGateway['ping']>().mockResolvedValue(),
  };
  const webhooks = { post: vi.fn<WebhookClient['post']>(), close: vi.fn() };
  const redeliveries = { start: vi.fn<DeliveryGateway['start']>().mockResolvedValue(true) };
  const stopping = new AbortController();
  const { deps, contents } = serviceDeps(mongo.db, {
    ...{ files, jobs, redeliveries, webhooks, looks, stopping: stopping.signal, ...(log && { log }) },
    now: vi.fn<ServiceDeps['now']>(() => Date.now()),
    elapsed: vi.fn<ServiceDeps['elapsed']>(() => performance.now()),
    admissionQueue: createAdmissionQueue({ ...ADMISSION_DEFAULTS, ...admissionQueue }),
    signWebhook: createWebhookSigner([WEBHOOK_KEY]),
    checkEngines: createEngineHealth({ pingTemporal: () => jobs.ping(), pingMongo: () => mongo.ping(), keptMs }),
    answerBudget: createAnswerBudget({ ...ANSWER_BUDGET, ...answerBudget }),
  });
  const connections = { ...CONNECTION_LIMITS, ...limits };
  const served = await serveFacades(deps, { ...access, requestsPerMinute, rpcToken, connections, pictureNetworks });
  const { url, rpcUrl } = served;
  return {
    ...{ deps, jobs, redeliveries, webhooks, contents, url, rpcUrl, rpcToken },
    db: mongo.db,
    stop: () => stopping.abort(),
    rpc: createRpcClient(rpcUrl, { token: rpcToken }),
    async post(path: string, body: string, requestHeaders: Record<string, string> = {}) {
      const response = await fetch(url + path, { method: 'POST', body, headers: requestHeaders });
      const { status, headers } = response;
      return { status, headers, body: (await response.json()) as Record<string, unknown> };
    },
    async close(): Promise<void> {
      await served.close();
      await mongo.db.dropDatabase();
      await mongo.close();
    },
  };
}
export type Facades = Awaited<ReturnType<typeof startFacades>>;
