import { residentMib } from '../../bench/processor-time.ts';
import { sum } from '../../bench/rounds.ts';
import { toolsOf } from '../../processes.ts';
import type { Stage } from '../stage.ts';
import type { Finding } from './evidence.ts';

/** MiB, as docker-compose.yml grants them; those of the worker are for its tools too. */
export const MEMORY_LIMITS = { api: 1_024, worker: 8_192, temporal: 2_048, mongodb: 2_048 } as const;
type Name = keyof typeof MEMORY_LIMITS;
const NAMES = Object.keys(MEMORY_LIMITS) as Name[];

export function watchMemory({ pidOf }: Pick<Stage, 'pidOf'>, everyMs: number) {
  const peaks: Record<Name, number> = { api: 0, worker: 0, temporal: 0, mongodb: 0 };
  const look = (): void => {
    for (const name of NAMES) {
      const pid = pidOf(name);
      const all = pid === undefined ? [] : [pid, ...(name === 'worker' ? toolsOf(pid).map((tool) => tool.pid) : [])];
      const used = sum(all.map(residentMib));
      peaks[name] = Math.max(peaks[name], used);
    }
  };
  const timer = setInterval(look, everyMs);
  return {
    peaks: peaks as Readonly<Record<Name, number>>,
    stop: (): Promise<void> => {
      clearInterval(timer);
      return Promise.resolve();
    },
  };
}

export function auditMemory(peaks: Readonly<Record<Name, number>>): Finding {
  const over = NAMES.filter((name) => peaks[name] > MEMORY_LIMITS[name]);
  return {
    column: 'processes over their memory',
    ids: over.map((name) => `${name}: ${peaks[name].toFixed(0)} MiB of ${String(MEMORY_LIMITS[name])}`),
  };
}
