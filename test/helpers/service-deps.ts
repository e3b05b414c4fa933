import { BlockList } from 'node:net';
import type { Db } from 'mongodb';
import { pino } from 'pino';
import { ADMISSION_DEFAULTS, createAdmissionQueue } from '../../api/admission-queue.ts';
import { ANSWER_BUDGET, createAnswerBudget } from '../../api/edge/answer-budget.ts';
import { CONNECTION_LIMITS } from '../../api/edge/connections.ts';
import { serveRest } from '../../api/edge/serve-rest.ts';
import { createEvents } from '../../api/events/create-events.ts';
import { WATCH_LIMITS, type WatchLimits } from '../../api/events/job-watches.ts';
import { createRestApp, type RestOptions } from '../../api/http/rest-app.ts';
import { createRpcServer } from '../../api/rpc/rpc-server.ts';
import { createStores, type ServiceDeps } from '../../api/service-deps.ts';
import { loadConfig } from '../../config.ts';
import { priceTable } from '../../contract/kinds/configured-prices.ts';
import { DEFAULT_WAIT_SECONDS } from '../../contract/request-limits.ts';
import { createDownloader, MEDIA_HOST_LIMITS } from '../../outbound/download.ts';
import { createWebhookSigner } from '../../outbound/webhooks/webhook-signature.ts';
import { createLinkSigner } from '../../store/files/link-signer.ts';

export type TestDeps = ReturnType<typeof serviceDeps>;

/** What the API works with: the stores of a database, and whatever a test passes. */
export function serviceDeps(
  db: Db,
  {
    looks,
    linkTtlSeconds = 60,
    now = () => Date.now(),
    stopping = new AbortController().signal,
    log = pino({ level: 'silent' }),
    ...given
  }: Pick<ServiceDeps, 'files' | 'jobs' | 'redeliveries' | 'webhooks'> &
    Partial<ServiceDeps> & { readonly looks?: Partial<WatchLimits> | undefined; readonly linkTtlSeconds?: number },
) {
  const signer = createLinkSigner({
    ...{ secrets: ['s'.repeat(32)], driveUrl: 'http://drive.example', ttlSeconds: linkTtlSeconds },
  });
  const stores = createStores(db, now);
  const { contents, lists } = stores;
  const events = { ...stores, jobs: given.jobs, stopping, now, log };
  const deps: ServiceDeps = {
    ...{ ...stores, signer, now, stopping, log },
    schedules: {
      put: () => Promise.resolve(),
      pause: () => Promise.resolve(),
      remove: () => Promise.resolve(),
    },
    publicUrl: 'http://api.example',
    batchRuns: {
      start: () => Promise.resolve(true),
      resume: () => Promise.resolve(true),
      cancel: () => Promise.resolve(true),
      isOpen: () => Promise.resolve(true),
    },
    ...createEvents(events, { ...WATCH_LIMITS, ...looks }),
    admissionQueue: createAdmissionQueue(ADMISSION_DEFAULTS),
    histories: { remove: () => Promise.resolve(true) },
    signWebhook: createWebhookSigner([]),
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
    elapsed: () => performance.now(),
    checkEngines: () => Promise.resolve({ temporal: 'ok', mongodb: 'ok' }),
    answerBudget: createAnswerBudget(ANSWER_BUDGET),
    ...given,
  };
  return { deps, contents };
}

/** Serves REST and tRPC on free ports of loopback. */
export async function serveFacades(
  deps: ServiceDeps,
  {
    rpcToken,
    connections = CONNECTION_LIMITS,
    pictureNetworks = new BlockList(),
    ...access
  }: Partial<RestOptions> & {
    readonly rpcToken: string;
    readonly connections?: typeof CONNECTION_LIMITS;
    readonly pictureNetworks?: BlockList | undefined;
  },
) {
  const proxies = access.trustedProxies ?? new BlockList();
  const app = createRestApp(deps, {
    ...{ requestsPerMinute: 100_000, publicUrl: 'http://api.example', driveUrl: 'http://drive.example' },
    ...{ isLoopback: true, allowsAnonymous: true, trustedProxies: proxies, ...access },
    downloadPicture: createDownloader({ ...MEDIA_HOST_LIMITS, allowedNetworks: pictureNetworks }),
  });
  const rest = serveRest(app, { port: 0, hostname: '127.0.0.1', proxies, connections });
  await rest.ready();
  const rpc = createRpcServer(deps, { token: rpcToken, connections });
  await new Promise<void>((resolve) => rpc.listen(0, '127.0.0.1', resolve));
  const { port } = rpc.address() as { port: number };
  return {
    url: (rest.url ?? '').replace(/\/$/, ''),
    rpcUrl: `http://127.0.0.1:${String(port)}`,
    async close(): Promise<void> {
      await rest.close(true);
      await new Promise((resolve) => rpc.close(resolve));
    },
  };
}
