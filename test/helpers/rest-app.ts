import { randomUUID } from 'node:crypto';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { BlockList } from 'node:net';
import { createHTTPServer } from '@trpc/server/adapters/standalone';
import { serve } from 'h3';
import { pino } from 'pino';
import { inject, vi } from 'vitest';
import type { DeliveryGateway } from '../../api/deliveries.ts';
import type { ApiDeps } from '../../api/deps.ts';
import type { JobGateway } from '../../api/jobs.ts';
import { createRestApp } from '../../api/rest.ts';
import { createRpcClient } from '../../api/rpc-client.ts';
import { appRouter } from '../../api/rpc.ts';
import { REQUEST_BODY_MAX_BYTES } from '../../contract/limits.ts';
import { priceTable } from '../../contract/prices.ts';
import { createContentsStore } from '../../store/contents.ts';
import { createDeliveryStore } from '../../store/deliveries.ts';
import { createDiskFiles } from '../../store/disk-files.ts';
import type { FileStore } from '../../store/files.ts';
import { createLinkSigner } from '../../store/links.ts';
import { openMongo } from '../../store/mongo.ts';
import { createRecordStore } from '../../store/records.ts';
import type { WebhookClient } from '../../webhooks/client.ts';
import { createWebhookSigner } from '../../webhooks/signature.ts';

const WEBHOOK_KEY = Buffer.from('a key that signs webhooks');
export const WEBHOOK_SECRET = `whsec_${WEBHOOK_KEY.toString('base64')}`;

/** Both facades on a real socket and a real database; jobs and webhooks are as the test prepares them. */
export async function startFacades(
  requestsPerMinute = 100_000,
  files: FileStore = createDiskFiles(join(tmpdir(), `tapedeck-files-${randomUUID()}`)),
) {
  const mongo = openMongo({ uri: inject('mongodbUri'), database: `api-${randomUUID().slice(0, 8)}`, timeoutMs: 5_000 });
  const jobs = {
    start: vi.fn<JobGateway['start']>().mockResolvedValue('started'),
    subscribe: vi.fn<JobGateway['subscribe']>().mockResolvedValue(true),
    cancel: vi.fn<JobGateway['cancel']>().mockResolvedValue(true),
    look: vi.fn<JobGateway['look']>().mockResolvedValue({ state: 'unknown' }),
    waitFor: vi.fn<JobGateway['waitFor']>().mockResolvedValue(),
    ping: vi.fn<JobGateway['ping']>().mockResolvedValue(),
  };
  const webhooks = { post: vi.fn<WebhookClient['post']>(), close: vi.fn() };
  const redeliveries = { start: vi.fn<DeliveryGateway['start']>().mockResolvedValue(true) };
  const signer = createLinkSigner({ secret: 's'.repeat(32), driveUrl: 'http://drive.example', ttlSeconds: 60 });
  const contents = createContentsStore(mongo.db);
  const deps: ApiDeps = {
    records: createRecordStore(mongo.db),
    files,
    signer,
    jobs,
    deliveries: createDeliveryStore(mongo.db),
    redeliveries,
    webhooks,
    signWebhook: createWebhookSigner([WEBHOOK_KEY]),
    webhookTestMs: 300,
    webhookAllowedNetworks: new BlockList(),
    rendering: { prices: priceTable({}), linkTo: (id, name) => signer.linkTo(id, name), contents },
    vidnetHosts: ['127.0.0.1:4000'],
    imgnet: { hosts: ['127.0.0.1:4000'], isConfigured: true },
    now: vi.fn<ApiDeps['now']>(() => Date.now()),
    pingMongo: () => mongo.ping(),
    log: pino({ level: 'silent' }),
  };
  const app = createRestApp(deps, { requestsPerMinute, publicUrl: 'http://api.example' });
  const rest = serve(app, { port: 0, hostname: '127.0.0.1', gracefulShutdown: false, silent: true });
  await rest.ready();
  const rpc = createHTTPServer({
    router: appRouter,
    createContext: () => ({ deps }),
    maxBodySize: REQUEST_BODY_MAX_BYTES,
  });
  await new Promise<void>((resolve) => rpc.listen(0, '127.0.0.1', resolve));
  const { port } = rpc.address() as { port: number };
  const url = (rest.url ?? '').replace(/\/$/, '');
  return {
    ...{ deps, jobs, redeliveries, webhooks, url, contents },
    rpcUrl: `http://127.0.0.1:${String(port)}`,
    rpc: createRpcClient(`http://127.0.0.1:${String(port)}`),
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
