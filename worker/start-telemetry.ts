import type { Logger } from 'pino';
import type { Config } from '../config.ts';
import { startTracing, type TraceHeaders, type Tracing } from '../runtime/telemetry/tracing.ts';
import { logStage, watchStages } from './activity-log.ts';
import type { Client } from '@temporalio/client';
import { createMetrics } from '../runtime/telemetry/metrics.ts';
import { answerJson, servePages, type Page } from '../runtime/telemetry/serve-pages.ts';
import { createEngineHealth, type EngineHealth } from '../store/mongo/engine-health.ts';
import type { Mongo } from '../store/mongo/mongo-client.ts';
import { readBacklogs } from './backlogs.ts';
import { createWorkerMetrics, type GaugeSources } from './worker-metrics.ts';
import {
  DefaultLogger,
  type LogLevel,
  type RuntimeOptions,
  type ActivityInterceptorsFactory,
} from '@temporalio/worker';
import type { Headers } from '@temporalio/common';
import { decodeTime } from 'ulid';
import type { FinishedJob } from '../activities/job-records.ts';
import { programRuns } from '../runtime/telemetry/diagnostics.ts';
import { TRACE_HEADERS, valueIn } from '../runtime/telemetry/trace-headers.ts';

/** A span for each attempt at an activity of a traced job, for the programs in it, and at its end for the job. */
export function traceActivities(tracing: Tracing): ActivityInterceptorsFactory {
  programRuns.subscribe(({ program, seconds, end }) => {
    tracing.past({ name: program, startedMs: Date.now() - seconds * 1000, attributes: { end } });
  });
  return ({ info }) => ({
    inbound: {
      async execute(input, next) {
        const headers = headersIn(input.headers);
        if (headers['traceparent'] === undefined) return next(input);
        const { activityType: name, attempt, workflowType = 'none' } = info;
        const attributes = { attempt, kind: workflowType, workflow: info.workflowExecution?.workflowId ?? 'none' };
        const result = await tracing.inSpan({ name, kind: 'consumer', headers, attributes }, () => next(input));
        if (name === 'finishJob') {
          const { recordId, outcome } = input.args[0] as FinishedJob;
          const how = { download: recordId, outcome: outcome.status };
          tracing.past({ name: `job ${workflowType}`, startedMs: decodeTime(recordId), headers, attributes: how });
        }
        return result;
      },
    },
  });
}

function headersIn(headers: Headers): TraceHeaders {
  const found = TRACE_HEADERS.flatMap((name) => {
    const value = valueIn(headers, name);
    return typeof value === 'string' ? [[name, value] as const] : [];
  });
  return Object.fromEntries(found);
}

interface Watched extends Omit<GaugeSources, 'backlogs'> {
  readonly client: Client;
  readonly mongo: Mongo;
}

/** The health and metrics of a worker, served if a port is set. */
export async function createOperatorPages(config: Config, log: Logger) {
  const { METRICS_HOST: host, WORKER_METRICS_PORT: port, TEMPORAL_NAMESPACE: namespace } = config;
  if (port === undefined) return { onStage: () => undefined, serve: () => Promise.resolve(), close: () => undefined };
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

/** Starts the log lines of activities, and metrics, health pages and traces where they are configured. */
export async function startTelemetry(config: Config, log: Logger) {
  const { TRACES_URL: url } = config;
  const tracing = url === undefined ? undefined : await startTracing('worker', { url, log });
  const pages = await createOperatorPages(config, log);
  const stages = watchStages((stage) => {
    logStage(log, stage, tracing?.traceId());
    pages.onStage(stage);
  });
  return {
    /** Interceptors that see each attempt at an activity before all others. */
    watch: tracing === undefined ? [stages] : [traceActivities(tracing), stages],
    traceHeaders: tracing?.headers,
    serve: pages.serve,
    close: async (): Promise<void> => {
      pages.close();
      await tracing?.close();
    },
  };
}

/** Configures the logs and metrics of the SDK. It handles no signals, because this process stops its workers in its own order. */
export function temporalRuntime(
  log: Logger,
  { METRICS_HOST: host, TEMPORAL_METRICS_PORT: port }: Pick<Config, 'METRICS_HOST' | 'TEMPORAL_METRICS_PORT'>,
): RuntimeOptions {
  const bindAddress = `${host.includes(':') ? `[${host}]` : host}:${String(port)}`;
  // These names follow the conventions of Prometheus, like those of the service.
  const units = { countersTotalSuffix: true, unitSuffix: true, useSecondsForDurations: true };
  return {
    logger: temporalLogger(log),
    shutdownSignals: [],
    ...(port === undefined ? {} : { telemetryOptions: { metrics: { prometheus: { bindAddress, ...units } } } }),
  };
}

/** Writes the lines of the SDK into the log of the service. */
function temporalLogger(log: Logger): DefaultLogger {
  return new DefaultLogger('INFO', ({ level, message, meta }) => {
    // Most workers run activities only.
    if (/^No (?:workflows|Nexus services) registered/.test(message)) return;
    const { error, ...fields } = (meta ?? {}) as Record<string, unknown>;
    // Each of many workers changes its state six times between start and stop.
    const name = message === 'Worker state changed' ? 'debug' : (level.toLowerCase() as Lowercase<LogLevel>);
    log[name]({ ...(error === undefined ? {} : { err: error }), temporal: fields }, message);
  });
}
