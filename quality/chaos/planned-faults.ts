import type { ProcessName } from '../../local/stack.ts';
import type { Random } from './plan.ts';
import { LINES } from './stage.ts';

/**
 * `tool`: a yt-dlp, ffmpeg or Python that the worker runs. `warm-yt-dlp`: the process that it keeps warm, in the middle of a call,
 * which is a process of its own.
 */
export type Victim = ProcessName | 'tool' | 'warm-yt-dlp';

export type PlannedKill = ReturnType<typeof planKills>[number];
export type PlannedCut = ReturnType<typeof planCuts>[number];

/** One victim at a time, mostly; the worker most often, since it does the work. */
const VICTIMS: readonly (readonly Victim[])[] = [
  ...Array<Victim[]>(5).fill(['worker']),
  ...Array<Victim[]>(3).fill(['api']),
  ...Array<Victim[]>(3).fill(['temporal']),
  ...Array<Victim[]>(3).fill(['mongodb']),
  ...Array<Victim[]>(4).fill(['tool']),
  ...Array<Victim[]>(2).fill(['warm-yt-dlp']),
  ['api', 'worker'],
  ['worker', 'temporal'],
  ['worker', 'mongodb'],
  ['temporal', 'mongodb'],
  ['api', 'worker', 'temporal', 'mongodb'],
];
const SIGTERM_SHARE = 0.2;
const CUTS = 0.7;
const CUT_MS = { least: 300, most: 3_000 };
/** Something should be under way before the first. */
const FIRST_AT = 0.06;

/** The kills of a run, spread over all of it. @param options.kills of processes, at least */
export function planKills(random: Random, options: { kills: number; durationMs: number }) {
  const victims = random.rounds(VICTIMS);
  return moments(random, options.kills, options.durationMs).map((atMs) => ({
    atMs,
    victims: victims(),
    signal: random.next() < SIGTERM_SHARE ? ('SIGTERM' as const) : ('SIGKILL' as const),
  }));
}

export function planCuts(random: Random, options: { kills: number; durationMs: number }) {
  const lines = random.rounds(LINES);
  return moments(random, Math.ceil(options.kills * CUTS), options.durationMs).map((atMs) => ({
    atMs,
    line: lines(),
    forMs: random.between(CUT_MS.least, CUT_MS.most),
  }));
}

/** One moment in each of so many equal parts of the run. */
function moments(random: Random, count: number, durationMs: number): number[] {
  const firstMs = durationMs * FIRST_AT;
  const widthMs = (durationMs - firstMs) / count;
  return Array.from({ length: count }, (_, index) => firstMs + (index + random.next()) * widthMs);
}
