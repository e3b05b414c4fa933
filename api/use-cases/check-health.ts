import type { Health } from '../../contract/results/health.ts';
import type { Answer } from '../answer.ts';
import type { ApiDeps } from '../deps.ts';

const PART_TIMEOUT_MS = 2_000;

/** @returns how the engines are, as they were a moment ago */
export type EnginesLook = () => Promise<Pick<Health, 'temporal' | 'mongodb'>>;

interface Engines {
  readonly pingTemporal: () => Promise<void>;
  readonly pingMongo: () => Promise<void>;
  /** How long an answer serves all who ask; none asks the engines while another does. */
  readonly keptMs: number;
}

/** Probes are open to everyone and not counted: one look at the engines answers however many ask. */
export function createEnginesLook({ pingTemporal, pingMongo, keptMs }: Engines): EnginesLook {
  let look: ReturnType<EnginesLook> | undefined;
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

/** GET /health: whether requests can be served now; 503 while one of the engines is away. */
export async function checkHealth({ lookAtEngines }: Pick<ApiDeps, 'lookAtEngines'>): Promise<Answer<Health>> {
  const { temporal, mongodb } = await lookAtEngines();
  const status = temporal === 'ok' && mongodb === 'ok' ? 'ok' : 'unavailable';
  return { state: status === 'ok' ? 'finished' : 'unavailable', body: { status, temporal, mongodb } };
}

/** GET /ready: the same, and 503 once the process is about to stop. */
export async function checkReady(deps: Pick<ApiDeps, 'lookAtEngines' | 'stopping'>): Promise<Answer<Health>> {
  const { body, state } = await checkHealth(deps);
  return deps.stopping.aborted ? { state: 'unavailable', body: { ...body, status: 'unavailable' } } : { state, body };
}

async function part(ping: Promise<void>): Promise<'ok' | 'unavailable'> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<'unavailable'>((resolve) => {
    timer = setTimeout(() => resolve('unavailable'), PART_TIMEOUT_MS);
  });
  const answer = ping.then(
    () => 'ok' as const,
    () => 'unavailable' as const,
  );
  return Promise.race([answer, late]).finally(() => clearTimeout(timer));
}
