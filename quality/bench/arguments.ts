import { parseArgs } from 'node:util';
import { z } from 'zod';

const USAGE =
  'usage: npm run bench -- [PART…] [--rounds 3] [--jobs 40] [--at-once 4] [--requests 2000] [--memory-jobs 10000] [--metube FOLDER] [--keep]\n' +
  '  PART: jobs, one-job, accept, reads, webhook, counts, workers, memory; default: all\n' +
  '  --metube: a checkout of MeTube with its packages in FOLDER/.venv\n' +
  '  --keep: the results become those of docs/performance.md';

const count = z.coerce.number().int().min(1);
const argumentsSchema = z.object({
  rounds: count.default(3),
  jobs: count.default(40),
  'at-once': count.default(4),
  requests: count.default(2_000),
  'memory-jobs': count.default(10_000),
  metube: z.string().optional(),
  keep: z.boolean().default(false),
});

export type BenchArguments = ReturnType<typeof readArguments>['options'];

/** @throws with the usage when an argument is wrong */
export function readArguments(args: readonly string[]) {
  try {
    const names = Object.keys(argumentsSchema.shape).filter((name) => name !== 'keep');
    const options = Object.fromEntries(names.map((name) => [name, { type: 'string' as const }]));
    const { values, positionals } = parseArgs({
      args: [...args],
      options: { ...options, keep: { type: 'boolean' } },
      allowPositionals: true,
    });
    const { 'at-once': jobsAtOnce, 'memory-jobs': memoryJobs, keep, ...rest } = argumentsSchema.parse(values);
    return { parts: positionals, keep, options: { ...rest, jobsAtOnce, memoryJobs } };
  } catch (error) {
    const why = error instanceof z.ZodError ? z.prettifyError(error) : String(error);
    throw new Error(`${why}\n${USAGE}`, { cause: error });
  }
}
