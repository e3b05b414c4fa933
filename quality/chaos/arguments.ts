import { parseArgs } from 'node:util';

export const USAGE =
  'usage: npm run chaos -- [--jobs 200] [--minutes 5] [--kills N] [--seed N] [--patience 5] [--json FILE] [--keep]\n' +
  '  --kills: processes killed at least; default: 3 for each 20 jobs\n' +
  '  --seed: repeats the plan of a run\n' +
  '  --patience: minutes after the last kill in which all must be done; more on a slow machine\n' +
  '  --keep: the data and logs stay, also when all is well';

const KILLS_PER_JOB = 0.15;
const SEEDS = 1_000_000;

export interface ChaosArguments {
  readonly jobs: number;
  readonly minutes: number;
  readonly kills: number;
  readonly seed: number;
  /** For so long everything is left alone after the last kill; what is not done then is stuck. */
  readonly patienceMinutes: number;
  /** Where the table is written. */
  readonly json: string | undefined;
  readonly keep: boolean;
}

/** @throws with the usage when an argument is wrong */
export function readArguments(args: readonly string[]): ChaosArguments {
  const text = { type: 'string' } as const;
  const { values } = parseArgs({
    args: [...args],
    options: {
      jobs: text,
      minutes: text,
      kills: text,
      seed: text,
      patience: text,
      json: text,
      keep: { type: 'boolean' },
    },
  });
  const jobs = whole('--jobs', values.jobs ?? '200', 10);
  const minutes = positive('--minutes', values.minutes ?? '5');
  return {
    jobs,
    minutes,
    kills: whole('--kills', values.kills ?? String(Math.ceil(jobs * KILLS_PER_JOB)), 1),
    seed: whole('--seed', values.seed ?? String(Date.now() % SEEDS), 0),
    patienceMinutes: positive('--patience', values.patience ?? '5'),
    json: values.json,
    keep: values.keep ?? false,
  };
}

function positive(name: string, text: string): number {
  const value = Number(text);
  if (!(value > 0)) throw new Error(`${name}: must be more than 0`);
  return value;
}

function whole(name: string, text: string, least: number): number {
  const value = Number(text);
  if (!Number.isInteger(value) || value < least)
    throw new Error(`${name}: must be an integer from ${String(least)} on`);
  return value;
}
