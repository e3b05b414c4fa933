import type { Health } from '../../contract/results/health.ts';
import type { Answer } from '../answer.ts';
import type { ApiDeps } from '../deps.ts';

const PART_TIMEOUT_MS = 2_000;

/** GET /health: whether requests can be served now; 503 while one of the engines is away. */
export async function checkHealth(deps: ApiDeps): Promise<Answer<Health>> {
  const [temporal, mongodb] = await Promise.all([part(deps.jobs.ping()), part(deps.pingMongo())]);
  const status = temporal === 'ok' && mongodb === 'ok' ? 'ok' : 'unavailable';
  return { state: status === 'ok' ? 'finished' : 'unavailable', body: { status, temporal, mongodb } };
}

/** GET /ready: the same, and 503 once the process is about to stop. */
export async function checkReady(deps: ApiDeps): Promise<Answer<Health>> {
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
