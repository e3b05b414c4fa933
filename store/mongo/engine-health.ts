import type { Health } from '../../contract/http/health-schemas.ts';
import { setTimeout as delay } from 'node:timers/promises';

const PING_TIMEOUT_MS = 2_000;

export type EngineHealth = () => Promise<Pick<Health, 'temporal' | 'mongodb'>>;

interface Engines {
  readonly pingTemporal: () => Promise<void>;
  readonly pingMongo: () => Promise<void>;
  /** How long a result is cached, which limits the load, since health requests are public and not rate limited. */
  readonly keptMs: number;
}

export function createEngineHealth({ pingTemporal, pingMongo, keptMs }: Engines): EngineHealth {
  let cached: ReturnType<EngineHealth> | undefined;
  return () => {
    if (cached !== undefined) return cached;
    cached = Promise.all([statusOf(pingTemporal()), statusOf(pingMongo())])
      .then(([temporal, mongodb]) => ({ temporal, mongodb }))
      .finally(() => {
        setTimeout(() => (cached = undefined), keptMs).unref();
      });
    return cached;
  };
}

async function statusOf(ping: Promise<void>): Promise<'ok' | 'unavailable'> {
  const status = ping.then(
    () => 'ok' as const,
    () => 'unavailable' as const,
  );
  return Promise.race([status, delay(PING_TIMEOUT_MS, 'unavailable' as const, { ref: false })]);
}
