import type { H3Config, H3Event } from 'h3';
import type { Logger } from 'pino';
import { identityOf } from '../access/access-middleware.ts';
import type { OnAnswered } from '../api-metrics.ts';
import { requestIdOf } from './request-id.ts';

/** Probes arrive every few seconds, so their lines are written at the level `debug`. */
const PROBES: ReadonlySet<string> = new Set(['/live', '/ready', '/health']);

/**
 * Writes a log line for each request when its answer begins: `method`, `route`, `status`, `ms`, `requestId` and `keyId`.
 * The route is the pattern of the path, because paths themselves may hold signatures and whatever else callers write.
 * @param onAnswered called with the same facts, for metrics
 */
export function observeRequests(log: Logger, onAnswered?: OnAnswered): Pick<H3Config, 'onRequest' | 'onResponse'> {
  const startedMs = new WeakMap<H3Event, number>();
  return {
    onRequest: (event) => void startedMs.set(event, performance.now()),
    onResponse({ status }, event) {
      const { meta, route = 'none' } = event.context.matchedRoute ?? {};
      const nowMs = performance.now();
      const ms = nowMs - (startedMs.get(event) ?? nowMs);
      log[PROBES.has(route) ? 'debug' : 'info'](
        {
          method: event.req.method,
          route,
          status,
          ms: Math.round(ms),
          requestId: requestIdOf(event),
          keyId: keyIdOf(event),
        },
        'request',
      );
      const operation = typeof meta?.['operation'] === 'string' ? meta['operation'] : route;
      onAnswered?.({ facade: 'rest', operation, status, seconds: ms / 1000 });
    },
  };
}

function keyIdOf(event: H3Event): string | undefined {
  const caller = identityOf(event)?.caller;
  return caller !== undefined && 'kind' in caller && caller.kind === 'key' ? caller.key.id : undefined;
}
