import { join } from 'node:path';
import { startServiceProcess } from '../../local/service-process.ts';
import type { Bench } from './service.ts';

const GRACE_MS = 20_000;

/** Runs a body beside so many workers of a service that has none. @param body is given their ids */
export async function withWorkers<Result>(
  { bench, number, dataDir }: { readonly bench: Bench; readonly number: number; readonly dataDir: string },
  body: (pids: () => number[]) => Promise<Result>,
): Promise<Result> {
  const started = await Promise.all(
    Array.from({ length: number }, (_, index) =>
      startServiceProcess({
        name: 'worker',
        env: bench.stack.env,
        output: { dir: join(dataDir, `worker-${String(index)}`) },
        healthUrl: undefined,
        log: () => undefined,
      }),
    ),
  );
  try {
    return await body(() => started.flatMap((worker) => worker.pid() ?? []));
  } finally {
    await Promise.all(started.map((worker) => worker.stop(GRACE_MS)));
  }
}
