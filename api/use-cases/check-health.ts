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
