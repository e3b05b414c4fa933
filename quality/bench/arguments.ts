import { parseArgs } from 'node:util';
import { z } from 'zod';
import { ENGINES } from './engine.ts';

const USAGE =
  'usage: npm run bench -- [PART…] [--rounds 3] [--jobs 40] [--at-once 4] [--requests 2000] [--memory-jobs 10000] [--scale-jobs 10000] [--slots 16] [--fetch-seconds 7] [--caller-jobs 3] [--engine cluster] [--metube FOLDER] [--keep]\n' +
  '  PART: jobs, one-job, batches, accept, reads, webhook, counts, start, speech, scale, memory, hostile; default: all\n' +
  '  --scale-jobs, --slots, --fetch-seconds: of the part scale: jobs in all, shared out among 1, 2 and 4 workers by their number, of which each fetches so many at once, so long\n' +
  '  --caller-jobs: of the part hostile: jobs in a round beside each kind of attack; `hostile --rounds 1 --caller-jobs 1` tries all of them\n' +
  '  --engine cluster: a Temporal server of 512 shards on PostgreSQL instead of the embedded one; both are built or fetched the first time\n' +
  '  --metube: a checkout of MeTube with its packages in FOLDER/.venv\n' +
  '  --keep: the results become those of docs/performance.md';

const count = z.coerce.number().int().min(1);
const argumentsSchema = z.object({
  rounds: count.default(3),
  jobs: count.default(40),
  'at-once': count.default(4),
  requests: count.default(2_000),
  'memory-jobs': count.default(10_000),
  'scale-jobs': count.default(10_000),
  slots: count.default(16),
  'fetch-seconds': count.default(7),
  'caller-jobs': count.default(3),
  engine: z.enum(ENGINES).default('embedded'),
  metube: z.string().optional(),
  keep: z.boolean().default(false),
});

export type BenchArguments = ReturnType<typeof readArguments>['options'];

export function readArguments(args: readonly string[]) {
  try {
    const names = Object.keys(argumentsSchema.shape).filter((name) => name !== 'keep');
    const options = Object.fromEntries(names.map((name) => [name, { type: 'string' as const }]));
    const { values, positionals } = parseArgs({
      args: [...args],
      options: { ...options, keep: { type: 'boolean' } },
      allowPositionals: true,
    });
    const { 'at-once': jobsAtOnce, 'memory-jobs': memoryJobs, ...others } = argumentsSchema.parse(values);
    const { 'scale-jobs': scaleJobs, 'fetch-seconds': fetchSeconds, 'caller-jobs': callerJobs, keep, ...rest } = others;
    return {
      parts: positionals,
      keep,
      options: { ...rest, jobsAtOnce, memoryJobs, scaleJobs, fetchSeconds, callerJobs },
    };
  } catch (error) {
    const why = error instanceof z.ZodError ? z.prettifyError(error) : String(error);
    throw new Error(`${why}\n${USAGE}`, { cause: error });
  }
}
