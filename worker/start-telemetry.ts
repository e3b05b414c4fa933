import type { Logger } from 'pino';
import type { Config } from '../config.ts';
import { startTracing } from '../runtime/telemetry/tracing.ts';
import { createOperatorPages } from './operator-pages.ts';
import { logStage, watchStages } from './activity-log.ts';
import { traceActivities } from './trace-activities.ts';

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
