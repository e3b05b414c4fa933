import { createHTTPServer } from '@trpc/server/adapters/standalone';
import { Client, Connection } from '@temporalio/client';
import { serve } from 'h3';
import { pino } from 'pino';
import { loadConfigOrExit } from '../config.ts';
import { REQUEST_BODY_MAX_BYTES } from '../contract/limits.ts';
import { createContentsStore } from '../store/contents.ts';
import { createFileStore } from '../store/create-file-store.ts';
import { createDeliveryStore } from '../store/deliveries.ts';
import { createLinkSigner } from '../store/links.ts';
import { openMongo } from '../store/mongo.ts';
import { createRecordStore } from '../store/records.ts';
import { onStop } from '../subprocess/on-stop.ts';
import { connectionOptions, orUnreachable } from '../temporal/connection.ts';
import { registerSearchAttributes } from '../temporal/search-attributes.ts';
import { createWebhookClient } from '../webhooks/client.ts';
import { WEBHOOK_TEST_LIMITS, WEBHOOK_TEST_TAKES_MS } from '../webhooks/limits.ts';
import { createWebhookSigner } from '../webhooks/signature.ts';
import { createDeliveryGateway } from './deliveries.ts';
import type { ApiDeps } from './deps.ts';
import { createJobGateway } from './jobs.ts';
import { answerMalformedRequests } from './malformed-requests.ts';
import { createRestApp } from './rest.ts';
import { appRouter } from './rpc.ts';

const config = loadConfigOrExit(process.env, ['TEMPORAL_ADDRESS', 'MONGODB_URI', 'LINK_SECRET']);
const log = pino({ level: config.LOG_LEVEL, base: { part: 'api' } });

const mongo = openMongo({ uri: config.MONGODB_URI, database: config.MONGODB_DATABASE, timeoutMs: 5_000 });
const exitWith = (error: unknown): never => {
  log.fatal({ err: error }, error instanceof Error ? error.message : 'cannot start');
  return process.exit(1);
};
const temporalOptions = connectionOptions({
  address: config.TEMPORAL_ADDRESS,
  namespace: config.TEMPORAL_NAMESPACE,
  apiKey: config.TEMPORAL_API_KEY,
  tls: config.TEMPORAL_TLS,
});
const connection = await orUnreachable(config.TEMPORAL_ADDRESS, Connection.connect(temporalOptions)).catch(exitWith);
await registerSearchAttributes(connection, config.TEMPORAL_NAMESPACE);
const client = new Client({ connection, namespace: config.TEMPORAL_NAMESPACE });
const webhooks = createWebhookClient({ ...WEBHOOK_TEST_LIMITS, allowedNetworks: config.webhookAllowedNetworks });

const signer = createLinkSigner({
  secret: config.LINK_SECRET,
  driveUrl: config.DRIVE_URL,
  ttlSeconds: config.LINK_TTL_SECONDS,
});

// Somebody waits for each answer.
const files = createFileStore(config.files, { maxAttempts: 3 });
await files.check().catch(exitWith);

const deps: ApiDeps = {
  records: createRecordStore(mongo.db),
  files,
  signer,
  jobs: createJobGateway(client, config.TASK_QUEUE),
  deliveries: createDeliveryStore(mongo.db),
  redeliveries: createDeliveryGateway(client, config.TASK_QUEUE),
  webhooks,
  signWebhook: createWebhookSigner(config.webhookKeys),
  webhookTestMs: WEBHOOK_TEST_TAKES_MS,
  webhookAllowedNetworks: config.webhookAllowedNetworks,
  rendering: {
    prices: config.prices,
    linkTo: (recordId, name) => signer.linkTo(recordId, name),
    contents: createContentsStore(mongo.db),
  },
  vidnetHosts: config.vidnetHosts,
  imgnet: { hosts: config.imgnetHosts, isConfigured: config.IMGNET_API_TOKEN !== undefined },
  now: () => Date.now(),
  pingMongo: () => mongo.ping(),
  log,
};

const rest = serve(
  createRestApp(deps, {
    requestsPerMinute: config.RATE_LIMIT_PER_MINUTE,
    publicUrl: config.PUBLIC_URL,
  }),
  // We stop in our own order; the server's own handling of signals would end the process first.
  { port: config.PORT, hostname: config.HOST, gracefulShutdown: false, silent: true },
);
answerMalformedRequests(rest);
await rest.ready();
const rpc = createHTTPServer({
  router: appRouter,
  createContext: () => ({ deps }),
  maxBodySize: REQUEST_BODY_MAX_BYTES,
});
await new Promise<void>((resolve, reject) => {
  rpc.once('error', reject);
  rpc.listen(config.RPC_PORT, config.RPC_HOST, resolve);
});
log.info({ rest: config.PUBLIC_URL, rpcPort: config.RPC_PORT }, 'api is ready');
process.send?.({ ready: true });

onStop(process.env, (reason) => {
  log.info({ reason }, 'stopping: no new requests');
  void stop();
});

async function stop(): Promise<void> {
  // Requests that wait for a job would hold the server open: they are cut when the grace time is over.
  const late = setTimeout(() => process.exit(0), config.SHUTDOWN_GRACE_SECONDS * 1000);
  await Promise.all([rest.close(), new Promise<void>((resolve) => rpc.close(() => resolve()))]);
  webhooks.close();
  await connection.close();
  await mongo.close();
  clearTimeout(late);
  if (process.connected) process.disconnect();
}
