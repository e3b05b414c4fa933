import { DefaultLogger, type LogLevel, type RuntimeOptions } from '@temporalio/worker';
import type { Logger } from 'pino';
import type { Config } from '../config.ts';

/** How the SDK logs and measures. We stop workers ourselves, in our own order. */
export function temporalRuntime(
  log: Logger,
  { METRICS_HOST: host, TEMPORAL_METRICS_PORT: port }: Pick<Config, 'METRICS_HOST' | 'TEMPORAL_METRICS_PORT'>,
): RuntimeOptions {
  const bindAddress = `${host.includes(':') ? `[${host}]` : host}:${String(port)}`;
  // Named as Prometheus has it, like our own.
  const units = { countersTotalSuffix: true, unitSuffix: true, useSecondsForDurations: true };
  return {
    logger: temporalLogger(log),
    shutdownSignals: [],
    ...(port === undefined ? {} : { telemetryOptions: { metrics: { prometheus: { bindAddress, ...units } } } }),
  };
}

/** The SDK's lines in the service's own log. */
function temporalLogger(log: Logger): DefaultLogger {
  return new DefaultLogger('INFO', ({ level, message, meta }) => {
    // A worker of activities alone has no workflows by design, and we use no Nexus.
    if (/^No (?:workflows|Nexus services) registered/.test(message)) return;
    const { error, ...fields } = (meta ?? {}) as Record<string, unknown>;
    // Each of many workers changes six times between start and stop.
    const name = message === 'Worker state changed' ? 'debug' : (level.toLowerCase() as Lowercase<LogLevel>);
    log[name]({ ...(error === undefined ? {} : { err: error }), temporal: fields }, message);
  });
}
