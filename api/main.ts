import { once, setMaxListeners } from 'node:events';
import { hostname } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import { loadConfigOrExit } from '../config.ts';
import { createJobHistories } from '../runtime/temporal/job-histories.ts';
import { API_BUCKET_LIMITS, createFileStore, createUploads } from '../store/files/create-file-store.ts';
import { followFilesFolder } from '../store/files/files-folder.ts';
import { createLinkSigner } from '../store/files/link-signer.ts';
import { createYtdlpInUse } from '../store/records/ytdlp-in-use.ts';
import { reachEngines } from '../store/mongo/reach-engines.ts';
import { createLog } from '../runtime/telemetry/log.ts';
import { createMetrics, type Metrics } from '../runtime/telemetry/metrics.ts';
import { servePages } from '../runtime/telemetry/serve-pages.ts';
import { startTracing } from '../runtime/telemetry/tracing.ts';
import { onStop } from '../runtime/subprocess/on-stop.ts';
import { createDownloader, MEDIA_HOST_LIMITS } from '../outbound/download.ts';
import {
  createWebhookClient,
  WEBHOOK_TEST_LIMITS,
  WEBHOOK_TEST_TAKES_MS,
} from '../outbound/webhooks/webhook-client.ts';
import { createWebhookSigner } from '../outbound/webhooks/webhook-signature.ts';
import { ADMISSION_DEFAULTS, createAdmissionQueue } from './admission-queue.ts';
import { codecPages } from './http/codec-endpoint.ts';
import { createBatchGateway, createDeliveryGateway } from './workflow-gateways.ts';
import { createSubscriptionSchedules } from './subscription-schedules.ts';
import { createStores, type ServiceDeps } from './service-deps.ts';
import { ANSWER_BUDGET, createAnswerBudget } from './edge/answer-budget.ts';
import { serveRest } from './edge/serve-rest.ts';
import { createEngineHealth } from '../store/mongo/engine-health.ts';
import { createEvents } from './events/create-events.ts';
import { createPayloadCodec } from '../runtime/temporal/payload-codec.ts';
import { createBreakerStore } from '../pacing/breaker-store.ts';
import { createBreakers } from '../pacing/breakers.ts';
import { routesOf } from '../pacing/routes.ts';
import { createJobGateway } from './job-gateway.ts';
import { createApiMetrics } from './api-metrics.ts';
import { createRestApp } from './http/rest-app.ts';
import { createRpcServer } from './rpc/rpc-server.ts';
import { tracingInterceptors } from './http/request-traces.ts';

const config = loadConfigOrExit(process.env, ['TEMPORAL_ADDRESS', 'MONGODB_URI', 'LINK_SECRET', 'RPC_TOKEN']);
const log = await createLog('api', config);

const exitWith = (error: unknown): never => {
  log.fatal({ err: error }, error instanceof Error ? error.message : 'cannot start');
  return process.exit(1);
};
const { TRACES_URL: tracesUrl } = config;
const tracing = tracesUrl === undefined ? undefined : await startTracing('api', { url: tracesUrl, log });
const interceptors = tracing && tracingInterceptors(tracing);
const { mongo, client, closeTemporal } = await reachEngines(config, { timeoutMs: 5_000, log, interceptors }).catch(
  exitWith,
);
const webhooks = createWebhookClient({ ...WEBHOOK_TEST_LIMITS, allowedNetworks: config.WEBHOOK_ALLOWED_NETWORKS });

const stopping = new AbortController();
// Each waiting request adds a listener; Node would warn of a leak beyond ten.
setMaxListeners(0, stopping.signal);

const signer = createLinkSigner({
  secrets: config.LINK_SECRET,
  driveUrl: config.DRIVE_URL,
  ttlSeconds: config.LINK_TTL_SECONDS,
});

const files = await createFileStore(config.files, API_BUCKET_LIMITS);
await files.check().catch(exitWith);
const uploads = createUploads(config.files, API_BUCKET_LIMITS);
if (config.files.kind === 'disk') {
  const here = { db: mongo.db, root: config.files.root, host: hostname() };
  await followFilesFolder(here, { everyMs: 5_000, signal: stopping.signal, onOther: exitWith }).catch(exitWith);
}

const metrics = config.API_METRICS_PORT === undefined ? undefined : await createMetrics(log);
const measured = metrics && createApiMetrics(metrics);
const now = (): number => Date.now();
const elapsed = (): number => performance.now();
const stores = createStores(mongo.db, now);
const breakers = createBreakers({
  store: createBreakerStore(mongo.db, config.TASK_QUEUE),
  routes: routesOf(config),
  onError: (error) => log.warn({ err: error }, 'the circuit breakers cannot be read'),
});
const gateway = createJobGateway(client, config.TASK_QUEUE, breakers);
const jobs = measured?.counted(gateway) ?? gateway;
const admissionQueue = createAdmissionQueue(ADMISSION_DEFAULTS);
const deps: ServiceDeps = {
  ...stores,
  files,
  signer,
  jobs,
  batchRuns: createBatchGateway(client, config.TASK_QUEUE),
  schedules: createSubscriptionSchedules(client, config.TASK_QUEUE),
  publicUrl: config.PUBLIC_URL,
  ...createEvents({ ...stores, jobs, stopping: stopping.signal, now, log }),
  admissionQueue: measured?.timed(admissionQueue) ?? admissionQueue,
  redeliveries: createDeliveryGateway(client, config.TASK_QUEUE),
  webhooks,
  signWebhook: createWebhookSigner(config.WEBHOOK_SECRETS),
  webhookTestMs: WEBHOOK_TEST_TAKES_MS,
  webhookAllowedNetworks: config.WEBHOOK_ALLOWED_NETWORKS,
  histories: createJobHistories(client),
  rendering: {
    prices: config.prices,
    linkTo: (...file) => signer.linkTo(...file),
    contents: stores.contents,
    lists: stores.lists,
  },
  defaultWaitSeconds: config.DEFAULT_WAIT_SECONDS,
  platforms: config.platforms,
  workflowUrl: (id) => workflowUrlOf(config, id),
  now,
  elapsed,
  checkEngines: createEngineHealth({ pingTemporal: () => jobs.ping(), pingMongo: () => mongo.ping(), keptMs: 1_000 }),
  answerBudget: createAnswerBudget(ANSWER_BUDGET),
  stopping: stopping.signal,
  log,
};

const rest = serveRest(
  createRestApp(deps, {
    requestsPerMinute: config.RATE_LIMIT_PER_MINUTE,
    publicUrl: config.PUBLIC_URL,
    driveUrl: config.DRIVE_URL,
    isLoopback: config.isLoopback,
    origins: config.CORS_ORIGINS,
    allowsAnonymous: config.allowsAnonymous,
    trustedProxies: config.TRUSTED_PROXIES,
    downloadPicture: createDownloader({ ...MEDIA_HOST_LIMITS, allowedNetworks: config.MEDIA_ALLOWED_NETWORKS }),
    onAnswered: measured?.onAnswered,
    tracing,
    uploads,
    uploadMaxBytes: config.UPLOAD_MAX_BYTES,
    ytdlp: createYtdlpInUse(mongo.db).known,
  }),
  { port: config.PORT, hostname: config.HOST, proxies: config.TRUSTED_PROXIES },
);
await rest.ready();
const rpc = createRpcServer(deps, { token: config.RPC_TOKEN, onAnswered: measured?.onAnswered, tracing });
rpc.listen(config.RPC_PORT, config.RPC_HOST);
await once(rpc, 'listening');
const pages = metrics && (await serveMetrics(metrics).catch(exitWith));
const codecServer = await serveCodec().catch(exitWith);
log.info({ rest: config.PUBLIC_URL, rpcPort: config.RPC_PORT, keysNeeded: !config.allowsAnonymous }, 'api is ready');
process.send?.({ ready: true });

onStop(process.env, (reason) => {
  log.info({ reason, drainSeconds: config.DRAIN_SECONDS }, 'stopping');
  // From here on /ready answers 503, and requests that wait for a job are answered with its current state.
  stopping.abort();
  void stop();
});

function workflowUrlOf(
  { TEMPORAL_UI_URL: uiUrl, TEMPORAL_NAMESPACE: namespace }: typeof config,
  id: string,
): string | undefined {
  if (uiUrl === undefined) return undefined;
  return `${uiUrl.replace(/(?<!\/)\/+$/, '')}/namespaces/${namespace}/workflows/${encodeURIComponent(id)}`;
}

async function serveMetrics({ page }: Metrics) {
  const port = config.API_METRICS_PORT ?? 0;
  const served = await servePages({ host: config.METRICS_HOST, port, pages: { '/metrics': page } });
  log.info({ port: served.port }, 'metrics');
  return served;
}

async function serveCodec() {
  const {
    CODEC_PORT: port,
    CODEC_TOKEN: token,
    METRICS_HOST: host,
    TEMPORAL_UI_URL: uiUrl,
    PAYLOAD_KEYS: payloadKeys,
  } = config;
  if (port === undefined || payloadKeys === undefined) return undefined;
  const codec = createPayloadCodec(payloadKeys);
  const served = await servePages({
    host,
    port,
    pages: codecPages({ codec, uiUrl, token }),
    methods: ['POST', 'OPTIONS'],
  });
  log.info({ port: served.port }, 'payloads are decoded here');
  return served;
}

async function stop(): Promise<void> {
  // Load balancers need a moment to notice that.
  await delay(config.DRAIN_SECONDS * 1000);
  log.info('no new requests');
  const late = setTimeout(() => {
    log.warn('requests are cut: the grace time is over');
    process.exit(0);
  }, config.SHUTDOWN_GRACE_SECONDS * 1000);
  await Promise.all([rest.close(), new Promise<void>((resolve) => rpc.close(() => resolve()))]);
  pages?.close();
  codecServer?.close();
  await tracing?.close();
  webhooks.close();
  await closeTemporal();
  await mongo.close();
  clearTimeout(late);
  if (process.connected) process.disconnect();
}
