import type { Health } from '../../contract/http/health-schemas.ts';
import type { ServiceDeps } from '../service-deps.ts';
import type { Answer } from '../operations/operation.ts';

export function checkLive(): Promise<Answer<{ readonly status: 'ok' }>> {
  return Promise.resolve({ state: 'finished', body: { status: 'ok' } });
}

export async function checkHealth({ checkEngines }: Pick<ServiceDeps, 'checkEngines'>): Promise<Answer<Health>> {
  const { temporal, mongodb } = await checkEngines();
  const status = temporal === 'ok' && mongodb === 'ok' ? 'ok' : 'unavailable';
  return { state: status === 'ok' ? 'finished' : 'unavailable', body: { status, temporal, mongodb } };
}

/** GET /ready: like /health, and 503 once the process is about to stop. */
export async function checkReady(deps: Pick<ServiceDeps, 'checkEngines' | 'stopping'>): Promise<Answer<Health>> {
  const { body, state } = await checkHealth(deps);
  return deps.stopping.aborted ? { state: 'unavailable', body: { ...body, status: 'unavailable' } } : { state, body };
}
