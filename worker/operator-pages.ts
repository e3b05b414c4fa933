import type { Client } from '@temporalio/client';
import type { Logger } from 'pino';
import type { Config } from '../config.ts';
import type { Breakers } from '../pacing/breakers.ts';
import type { DatedVersion } from '../runtime/subprocess/dated-version.ts';
import { createMetrics } from '../runtime/telemetry/metrics.ts';
import { answerJson, servePages, type Page } from '../runtime/telemetry/serve-pages.ts';
import { createEngineHealth, type EngineHealth } from '../store/mongo/engine-health.ts';
import type { Mongo } from '../store/mongo/mongo-client.ts';
import { readBacklogs } from './backlogs.ts';
import type { QueueState } from './create-workers.ts';
import { createWorkerMetrics } from './worker-metrics.ts';
import type { Stage } from './activity-log.ts';

interface Watched {
  readonly client: Client;
  readonly mongo: Mongo;
  readonly queues: () => readonly QueueState[];
  /** The queues of all roles. Those that this worker does not poll are reported as 0, so that an unpolled queue is visible. */
  readonly serviceQueues: readonly string[];
  /** The routes with queues of their own. */
  readonly routes: readonly string[];
  readonly breakers: Breakers;
  /** The yt-dlp that new jobs use; undefined if the roles need none. */
  readonly ytdlp: (() => Promise<DatedVersion>) | undefined;
}

/** The health and metrics of a worker, served if a port is set. */
export interface OperatorPages {
  readonly onStage: (stage: Stage) => void;
  /**
   * Serves `/metrics`; `/healthz`, which answers 200 while the process runs, for liveness probes; and `/readyz`, which answers 200
   * while the engines answer and all queues are polled, otherwise 503, with the state of each queue.
   *
   * @returns the port
   * @throws when it is taken
   */
  readonly serve: (watched: Watched) => Promise<number | undefined>;
  readonly close: () => void;
}

export async function createOperatorPages(config: Config, log: Logger): Promise<OperatorPages> {
  const { METRICS_HOST: host, WORKER_METRICS_PORT: port, TEMPORAL_NAMESPACE: namespace } = config;
  if (port === undefined) {
    return { onStage: () => undefined, serve: () => Promise.resolve(undefined), close: () => undefined };
  }
  const metrics = await createMetrics(log);
  const measured = createWorkerMetrics(metrics, [config.YTDLP_PATH, config.FFMPEG_PATH, config.FFPROBE_PATH]);
  let served: Awaited<ReturnType<typeof servePages>> | undefined;
  return {
    onStage: measured.onStage,
    serve: async ({ client, mongo, queues, serviceQueues, routes, breakers, ytdlp }) => {
      const names = [...new Set([...serviceQueues, ...queues().map(({ queue }) => queue)])];
      const backlogs = () => readBacklogs(client, { namespace, queues: names });
      measured.addGauges({ routes, breakers, queues, serviceQueues, backlogs, ytdlp });
      const checkEngines = createEngineHealth({
        pingTemporal: async () => {
          await client.workflowService.getSystemInfo({});
        },
        pingMongo: () => mongo.ping(),
        keptMs: 1_000,
      });
      const pages = {
        '/healthz': alive,
        '/readyz': readiness(checkEngines, queues),
        '/metrics': metrics.page,
      };
      served = await servePages({ host, port, pages });
      log.info({ port: served.port }, 'health and metrics');
      return served.port;
    },
    close: () => served?.close(),
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
