import { DefaultLogger, type LogLevel } from '@temporalio/worker';
import type { Logger } from 'pino';

/** The SDK's lines in the service's own log. */
export function temporalLogger(log: Logger): DefaultLogger {
  return new DefaultLogger('INFO', ({ level, message, meta }) => {
    // A worker of activities alone has no workflows by design, and we use no Nexus.
    if (/^No (?:workflows|Nexus services) registered/.test(message)) return;
    const { error, ...fields } = (meta ?? {}) as Record<string, unknown>;
    // Each of many workers changes six times between start and stop.
    const name = message === 'Worker state changed' ? 'debug' : (level.toLowerCase() as Lowercase<LogLevel>);
    log[name]({ ...(error === undefined ? {} : { err: error }), temporal: fields }, message);
  });
}
