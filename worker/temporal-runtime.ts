import { DefaultLogger, type LogLevel, type RuntimeOptions } from '@temporalio/worker';
import type { Logger } from 'pino';
import type { Config } from '../config.ts';

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
