import type { ProcessName } from '../../local/stack.ts';
import type { Random } from './random.ts';
import { LINES, type LineName } from './stage.ts';

/** `tool`: a yt-dlp, ffmpeg or Python that the worker runs. */
export type Victim = ProcessName | 'tool';

export interface PlannedKill {
  readonly atMs: number;
  readonly victims: readonly Victim[];
  readonly signal: 'SIGKILL' | 'SIGTERM';
}

export interface PlannedCut {
  readonly atMs: number;
  readonly line: LineName;
  readonly forMs: number;
}

/** One victim at a time, mostly; the worker most often, since it does the work. */
const VICTIMS: readonly (readonly Victim[])[] = [
  ...[['worker'], ['worker'], ['worker'], ['worker'], ['worker']],
  ...[['api'], ['api'], ['api'], ['temporal'], ['temporal'], ['temporal'], ['mongodb'], ['mongodb'], ['mongodb']],
  ...[['tool'], ['tool'], ['tool'], ['tool']],
  ...[
    ['api', 'worker'],
    ['worker', 'temporal'],
    ['worker', 'mongodb'],
    ['temporal', 'mongodb'],
  ],
  ['api', 'worker', 'temporal', 'mongodb'],
] as readonly (readonly Victim[])[];
const SIGTERM_SHARE = 0.2;
/** Cuts for each kill. */
const CUTS = 0.7;
const CUT_MS = { least: 300, most: 3_000 };
/** Something should be under way before the first. */
const FIRST_AT = 0.06;

/** The kills of a run, spread over all of it. @param options.kills of processes, at least */
export function planKills(random: Random, options: { kills: number; durationMs: number }): PlannedKill[] {
  const events = slots(random, options.kills, options.durationMs);
  let left = random.shuffled(VICTIMS);
  return events.map((atMs) => {
    if (left.length === 0) left = random.shuffled(VICTIMS);
    const victims = left.pop() ?? ['worker'];
    return { atMs, victims, signal: random.next() < SIGTERM_SHARE ? 'SIGTERM' : 'SIGKILL' };
  });
}

export function planCuts(random: Random, options: { kills: number; durationMs: number }): PlannedCut[] {
  const events = slots(random, Math.ceil(options.kills * CUTS), options.durationMs);
  let left = random.shuffled(LINES);
  return events.map((atMs) => {
    if (left.length === 0) left = random.shuffled(LINES);
    return { atMs, line: left.pop() ?? 'api', forMs: random.between(CUT_MS.least, CUT_MS.most) };
  });
}

/** One moment in each of so many equal parts of the run. */
function slots(random: Random, count: number, durationMs: number): number[] {
  const firstMs = durationMs * FIRST_AT;
  const widthMs = (durationMs - firstMs) / count;
  return Array.from({ length: count }, (_, index) => firstMs + (index + random.next()) * widthMs);
}
