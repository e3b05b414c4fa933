import { parseArgs } from 'node:util';
import { z } from 'zod';

const USAGE =
  'usage: npm run chaos -- [--jobs 200] [--minutes 5] [--kills N] [--seed N] [--imgnet SHARE] [--patience 5] [--json FILE] [--keep]\n' +
  '  --kills: processes killed at least; default: 3 for each 20 jobs\n' +
  '  --seed: repeats the plan of a run\n' +
  '  --imgnet: share of the jobs that are about the photo platform, such as 0.8; default: about a third\n' +
  '  --patience: minutes after the last kill in which all must be done; more on a slow machine\n' +
  '  --keep: the data and logs stay, also when all is well';

const KILLS_PER_JOB = 0.15;
const SEEDS = 1_000_000;

const argumentsSchema = z
  .object({
    jobs: z.coerce.number().int().min(10).default(200),
    minutes: z.coerce.number().positive().default(5),
    kills: z.coerce.number().int().min(1).optional(),
    seed: z.coerce.number().int().min(0).optional(),
    imgnet: z.coerce.number().min(0).max(1).optional(),
    /** The minutes without faults after the last kill. A job that has not ended by then is stuck. */
    patience: z.coerce.number().positive().default(5),
    json: z.string().optional(),
    keep: z.boolean().default(false),
  })
  .transform(({ kills, seed, patience, ...rest }) => ({
    ...rest,
    kills: kills ?? Math.ceil(rest.jobs * KILLS_PER_JOB),
    seed: seed ?? Date.now() % SEEDS,
    patienceMinutes: patience,
  }));
export type ChaosArguments = Readonly<z.infer<typeof argumentsSchema>>;

export function readArguments(args: readonly string[]): ChaosArguments {
  const names = ['jobs', 'minutes', 'kills', 'seed', 'imgnet', 'patience', 'json'];
  const options = Object.fromEntries(names.map((name) => [name, { type: 'string' as const }]));
  try {
    const { values } = parseArgs({ args: [...args], options: { ...options, keep: { type: 'boolean' } } });
    return argumentsSchema.parse(values);
  } catch (error) {
    const why = error instanceof z.ZodError ? z.prettifyError(error) : String(error);
    throw new Error(`${why}\n${USAGE}`, { cause: error });
  }
}
