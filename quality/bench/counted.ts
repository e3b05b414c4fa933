import { setTimeout as delay } from 'node:timers/promises';
import { Client, Connection } from '@temporalio/client';
import { defaultCacheDir } from '../../local/engines/cache.ts';
import { startEngines } from '../../local/engines/engines.ts';
import { withoutSettings } from '../../local/stack.ts';
import { mongodbServer } from '../fault-proxy.ts';
import { startCommandCounter } from './command-counter.ts';
import { withBench, type Bench } from './service.ts';
import { countHeartbeats, countHistories } from './temporal-counts.ts';

/** After so long without a change a job has left nothing under way. */
const QUIET_MS = 1_500;
const LOOK_EVERY_MS = 300;

/** What a piece of work has cost; `operations` by command and collection. */
export interface Counts {
  readonly events: number;
  readonly actions: number;
  readonly heartbeats: number;
  readonly operations: Readonly<Record<string, number>>;
}
export type Count = (work: () => Promise<unknown>) => Promise<Counts>;

/** Runs a body on a service whose engines tell what they were asked for. */
export async function withCounts<Result>(
  options: { readonly dataDir: string; readonly videos?: number },
  body: (bench: Bench, count: Count) => Promise<Result>,
): Promise<Result> {
  const env = withoutSettings(process.env, /^$/);
  const log = (): void => undefined;
  const { dataDir } = options;
  const engines = await startEngines({ env, dataDir, cacheDir: defaultCacheDir(env), ports: 'free', log });
  const counter = await startCommandCounter(mongodbServer(engines.mongodbUri));
  const connection = await Connection.connect({ address: engines.temporalAddress });
  try {
    const client = new Client({ connection });
    const now = async (): Promise<Counts> => ({
      ...(await countHistories(client)),
      heartbeats: await countHeartbeats(engines.pids().temporal ?? NaN),
      operations: counter.counts(),
    });
    const quiet = async (): Promise<Counts> => {
      let newest = await now();
      for (let sinceMs = performance.now(); performance.now() - sinceMs < QUIET_MS;) {
        await delay(LOOK_EVERY_MS);
        const next = await now();
        if (JSON.stringify(next) !== JSON.stringify(newest)) sinceMs = performance.now();
        newest = next;
      }
      return newest;
    };
    const serviceEnv = { TEMPORAL_ADDRESS: engines.temporalAddress, MONGODB_URI: counter.uri };
    return await withBench({ ...options, roles: ['api', 'worker'], env: serviceEnv }, (bench) =>
      body(bench, async (work) => {
        const before = await quiet();
        await work();
        return difference(await quiet(), before);
      }),
    );
  } finally {
    await connection.close();
    await counter.stop();
    await engines.stop();
  }
}

function difference(after: Counts, before: Counts): Counts {
  const heartbeats = after.heartbeats - before.heartbeats;
  const changed = Object.entries(after.operations).map(
    ([name, value]) => [name, value - (before.operations[name] ?? 0)] as const,
  );
  return {
    events: after.events - before.events,
    actions: after.actions - before.actions + heartbeats,
    heartbeats,
    operations: Object.fromEntries(changed.filter(([, value]) => value > 0)),
  };
}

export const sumOf = (operations: Counts['operations']): number =>
  Object.values(operations).reduce((sum, one) => sum + one, 0);
