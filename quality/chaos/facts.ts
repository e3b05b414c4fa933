import type { Evidence } from './audit/evidence.ts';
import { isUnpaidTwice } from './audit/jobs.ts';
import type { CallersLedger } from './ledger.ts';
import type { Recovery } from './recovery.ts';
import type { Troubles } from './trouble.ts';

export interface FactsOf {
  readonly ledger: CallersLedger;
  readonly evidence: Evidence;
  readonly troubles: Troubles;
  readonly recovery: Recovery;
  readonly receptions: number;
  readonly repeats: number;
  readonly files: number;
  readonly troubledMs: number;
  /** From the last kill until nothing was left to do; undefined: not by the deadline. */
  readonly quietMs: number | undefined;
}

/** Counts things by what they are. */
export function countBy<Item>(items: Iterable<Item>, nameOf: (item: Item) => string): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const item of items) counts[nameOf(item)] = (counts[nameOf(item)] ?? 0) + 1;
  return counts;
}

/** What a run was, for people. */
export function factsOf(run: FactsOf): (readonly [string, string])[] {
  const { ledger, evidence, troubles, recovery } = run;
  const records = [...evidence.records.values()];
  const tries = ledger.entries.reduce((sum, entry) => sum + entry.tries, 0);
  const times = Object.entries(recovery.timesMs).map(([name, ms]) => `${name} ${spread(ms)}`);
  return [
    ['requests for jobs', `${String(ledger.entries.length)} callers, ${String(tries)} tries`],
    ['jobs', `${String(records.length)}: ${listed(countBy(records, ({ type }) => type))}`],
    ['how they ended', listed(countBy(records, ({ status }) => status))],
    ['of them failed rather than paid for twice', String(records.filter(isUnpaidTwice).length)],
    ['kills', `${String(troubles.kills.length)}: ${listed(countBy(troubles.kills, ({ victim }) => victim))}`],
    ['of them by SIGTERM', String(troubles.kills.filter(({ signal }) => signal === 'SIGTERM').length)],
    ['cuts', `${String(troubles.cuts.length)}: ${listed(countBy(troubles.cuts, ({ line }) => line))}`],
    ['answers', listed(Object.fromEntries(ledger.statuses))],
    ['requests without an answer', String(ledger.unanswered)],
    ['files', String(run.files)],
    ['webhooks', `${String(run.receptions)} received, ${String(run.repeats)} of them again`],
    ['money given back of jobs that never began', String(evidence.givenBack.length)],
    ['back after a kill, median and longest', times.join(', ')],
    ['time', `${seconds(run.troubledMs)} of trouble, then ${quietTime(run.quietMs)}`],
  ];
}

function quietTime(ms: number | undefined): string {
  return ms === undefined ? 'not all was done by the deadline' : `${seconds(ms)} until all was done`;
}

function spread(ms: readonly number[]): string {
  const sorted = ms.toSorted((a, b) => a - b);
  const longest = sorted.at(-1);
  if (longest === undefined) return '–';
  return `${seconds(sorted[Math.floor(sorted.length / 2)] ?? 0)}/${seconds(longest)}`;
}

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(1)} s`;
}

function listed(counts: Readonly<Record<string, number>>): string {
  return Object.entries(counts)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, count]) => `${name} ${String(count)}`)
    .join(', ');
}
