import { join } from 'node:path';
import type { Env } from '../../local/engines/environment.ts';
import { startTemporalCluster } from '../../local/engines/temporal-cluster.ts';

/** `embedded` is Temporal as `npm start` runs it; `cluster` is a server with PostgreSQL. */
export const ENGINES = ['embedded', 'cluster'] as const;
export type Engine = (typeof ENGINES)[number];

export interface Beside {
  readonly env: Readonly<Record<string, string>>;
  readonly processes: () => readonly { readonly name: string; readonly pid: number }[];
  /** The metrics of the Temporal server; undefined if the stack runs it. */
  readonly metricsUrl: string | undefined;
  /** The folder of Temporal's database; undefined if the stack runs it. */
  readonly temporalData: string | undefined;
  readonly stop: () => Promise<void>;
}

const NOTHING: Beside = {
  ...{ env: {}, processes: () => [], metricsUrl: undefined, temporalData: undefined },
  stop: () => Promise.resolve(),
};

/** Starts the Temporal server that the stack does not start itself. */
export async function startBeside(
  engine: Engine,
  setup: {
    readonly env: Env;
    readonly dataDir: string;
    readonly cacheDir: string;
    readonly say: (line: string) => void;
  },
): Promise<Beside> {
  if (engine === 'embedded') return NOTHING;
  const { env, cacheDir, say } = setup;
  const cluster = await startTemporalCluster({ env, cacheDir, log: say, stateDir: join(setup.dataDir, 'cluster') });
  return {
    env: { TEMPORAL_ADDRESS: cluster.address },
    processes: () =>
      Object.entries(cluster.pids()).flatMap(([name, pid]) => (pid === undefined ? [] : [{ name, pid }])),
    metricsUrl: cluster.metricsUrl,
    // The write-ahead log is recycled, so its size says nothing about stored data.
    temporalData: join(cluster.dataDir, 'base'),
    stop: cluster.stop,
  };
}
