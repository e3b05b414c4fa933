import type { Client } from '@temporalio/client';
import type { Logger } from 'pino';
import type { Config } from '../config.ts';
import { createMetrics } from '../runtime/telemetry/metrics.ts';
import { answerJson, servePages, type Page } from '../runtime/telemetry/serve-pages.ts';
import { createEngineHealth, type EngineHealth } from '../store/mongo/engine-health.ts';
import type { Mongo } from '../store/mongo/mongo-client.ts';
import { readBacklogs } from './backlogs.ts';
import { createWorkerMetrics, type GaugeSources } from './worker-metrics.ts';

interface Watched extends Omit<GaugeSources, 'backlogs'> {
  readonly client: Client;
  readonly mongo: Mongo;
}

/** The health and metrics of a worker, served if a port is set. */
export async function createOperatorPages(config: Config, log: Logger) {
  const { METRICS_HOST: host, WORKER_METRICS_PORT: port, TEMPORAL_NAMESPACE: namespace } = config;
  if (port === undefined) {
    return { onStage: () => undefined, serve: () => Promise.resolve(), close: () => undefined };
  }
  const metrics = await createMetrics(log);
  const measured = createWorkerMetrics(metrics, [config.YTDLP_PATH, config.FFMPEG_PATH, config.FFPROBE_PATH]);
  let served: Awaited<ReturnType<typeof servePages>> | undefined;
  return {
    onStage: measured.onStage,
    /**
     * Serves `/metrics`; `/healthz`, which answers 200 while the process runs, for liveness probes; and `/readyz`, which answers 200
     * while the engines answer and all queues are polled, otherwise 503, with the state of each queue.
     *
     * @returns the port @throws when it is taken
     */
    serve: async ({ client, mongo, ...sources }: Watched): Promise<number> => {
      const { queues, serviceQueues } = sources;
      const names = [...new Set([...serviceQueues, ...queues().map(({ queue }) => queue)])];
      measured.addGauges({ ...sources, backlogs: () => readBacklogs(client, { namespace, queues: names }) });
      const checkEngines = createEngineHealth({
        pingTemporal: async () => {
          await client.workflowService.getSystemInfo({});
        },
        pingMongo: () => mongo.ping(),
        keptMs: 1_000,
      });
      const pages = { '/healthz': alive, '/readyz': readiness(checkEngines, queues), '/metrics': metrics.page };
      served = await servePages({ host, port, pages });
      log.info({ port: served.port }, 'health and metrics');
      return served.port;
    },
    close: (): void => served?.close(),
  };
}

const alive: Page = (_request, response) => answerJson(response, 200, { status: 'ok' });

function readiness(checkEngines: EngineHealth, queues: Watched['queues']): Page {
  return async (_request, response) => {
    const engines = await checkEngines();
    const states = queues();
    const isReady =
      Object.values(engines).every((part) => part === 'ok') && states.every(({ state }) => state === 'polled');
    const byQueue = Object.fromEntries(states.map(({ queue, state }) => [queue, state]));
    answerJson(response, isReady ? 200 : 503, { status: isReady ? 'ok' : 'unavailable', ...engines, queues: byQueue });
  };
}
