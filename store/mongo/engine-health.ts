import type { Health } from '../../contract/http/health-schemas.ts';
import { setTimeout as delay } from 'node:timers/promises';

const PART_TIMEOUT_MS = 2_000;

/** @returns how the engines are, as they were a moment ago */
export type EngineHealth = () => Promise<Pick<Health, 'temporal' | 'mongodb'>>;

interface Engines {
  readonly pingTemporal: () => Promise<void>;
  readonly pingMongo: () => Promise<void>;
  /** How long an answer serves all who ask; none asks the engines while another does. */
  readonly keptMs: number;
}

/** Probes are open to everyone and not counted: one look at the engines answers however many ask. */
export function createEngineHealth({ pingTemporal, pingMongo, keptMs }: Engines): EngineHealth {
  let look: ReturnType<EngineHealth> | undefined;
  return () => {
    if (look !== undefined) return look;
    look = Promise.all([part(pingTemporal()), part(pingMongo())])
      .then(([temporal, mongodb]) => ({ temporal, mongodb }))
      .finally(() => {
        setTimeout(() => (look = undefined), keptMs).unref();
      });
    return look;
  };
}

async function part(ping: Promise<void>): Promise<'ok' | 'unavailable'> {
  const answer = ping.then(
    () => 'ok' as const,
    () => 'unavailable' as const,
  );
  return Promise.race([answer, delay(PART_TIMEOUT_MS, 'unavailable' as const, { ref: false })]);
}
