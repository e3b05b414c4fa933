import type { ProcessName } from '../../local/stack.ts';

/** Names in what the supervisor says. */
const NAMES: Readonly<Record<string, ProcessName>> = {
  api: 'api',
  worker: 'worker',
  Temporal: 'temporal',
  MongoDB: 'mongodb',
};

/** How long processes were away. */
export interface Recovery {
  began(name: ProcessName): void;
  /** To be told each line of the supervisor: `worker is back` ends the time of the worker. */
  heard(line: string): void;
  /** Milliseconds from each kill until the process did its work again. */
  readonly timesMs: Readonly<Record<ProcessName, number[]>>;
}

export function createRecovery(): Recovery {
  const since = new Map<ProcessName, number>();
  const timesMs: Record<ProcessName, number[]> = { api: [], worker: [], temporal: [], mongodb: [] };
  return {
    timesMs,
    // Killed again before it was back: the whole time counts.
    began(name) {
      if (!since.has(name)) since.set(name, performance.now());
    },
    heard(line) {
      const name = NAMES[/^(\w+) is back$/.exec(line)?.[1] ?? ''];
      const sinceMs = name === undefined ? undefined : since.get(name);
      if (name === undefined || sinceMs === undefined) return;
      since.delete(name);
      timesMs[name].push(performance.now() - sinceMs);
    },
  };
}
