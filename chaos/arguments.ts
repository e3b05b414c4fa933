import { parseArgs } from 'node:util';

export const USAGE =
  'usage: npm run chaos -- [--jobs 200] [--minutes 5] [--kills N] [--seed N] [--json FILE] [--keep]\n' +
  '  --kills: processes killed at least; default: 3 for each 20 jobs\n' +
  '  --seed: repeats the plan of a run\n' +
  '  --keep: the data and logs stay, also when all is well';

const KILLS_PER_JOB = 0.15;
const SEEDS = 1_000_000;

export interface ChaosArguments {
  readonly jobs: number;
  readonly minutes: number;
  readonly kills: number;
  readonly seed: number;
  /** Where the table is written. */
  readonly json: string | undefined;
  readonly keep: boolean;
}

/** @throws with the usage when an argument is wrong */
export function readArguments(args: readonly string[]): ChaosArguments {
  const text = { type: 'string' } as const;
  const { values } = parseArgs({
    args: [...args],
    options: { jobs: text, minutes: text, kills: text, seed: text, json: text, keep: { type: 'boolean' } },
  });
  const jobs = whole('--jobs', values.jobs ?? '200', 10);
  const minutes = Number(values.minutes ?? '5');
  if (!(minutes > 0)) throw new Error('--minutes: must be more than 0');
  return {
    jobs,
    minutes,
    kills: whole('--kills', values.kills ?? String(Math.ceil(jobs * KILLS_PER_JOB)), 1),
    seed: whole('--seed', values.seed ?? String(Date.now() % SEEDS), 0),
    json: values.json,
    keep: values.keep ?? false,
  };
}

function whole(name: string, text: string, least: number): number {
  const value = Number(text);
  if (!Number.isInteger(value) || value < least)
    throw new Error(`${name}: must be an integer from ${String(least)} on`);
  return value;
}
