import type { Evidence } from './audit/evidence.ts';
import type { Snapshots } from './audit/snapshots.ts';
import type { InjectedFaults } from './inject-faults.ts';
import { isSettled, type CallersLedger } from './ledger.ts';

export interface FactsOf {
  readonly ledger: CallersLedger;
  readonly evidence: Evidence;
  readonly injected: InjectedFaults;
  /** All received webhooks; `repeats` counts those after the first of each. */
  readonly receptions: number;
  readonly repeats: number;
  readonly files: number;
  readonly snapshots: Snapshots;
  readonly injectedForMs: number;
  /** The time from the last kill until the service was idle; undefined if it was not idle by the deadline. */
  readonly idleAfterMs: number | undefined;
  readonly hostileAnswers: Readonly<Record<string, number>>;
  readonly peaksMib: Readonly<Record<string, number>>;
}

export function countBy<Item>(items: Iterable<Item>, nameOf: (item: Item) => string): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const item of items) counts[nameOf(item)] = (counts[nameOf(item)] ?? 0) + 1;
  return counts;
}

/** Describes the progress of a run. @param kills the planned minimum */
export function progressOf({ entries }: CallersLedger, injected: InjectedFaults, kills: number): string {
  const accepted = entries.filter(({ jobs }) => jobs.length > 0).length;
  return [
    `${String(accepted)} of ${String(entries.length)} callers accepted`,
    `${String(entries.filter(isSettled).length)} have their result`,
    `${String(injected.kills.length)} killed (plan: ${String(kills)})`,
    `${String(injected.cuts.length)} cuts`,
  ].join(', ');
}

/** Returns the rows of the table about the run. */
export function factsOf(run: FactsOf): (readonly [string, string])[] {
  const { ledger, evidence, injected, idleAfterMs } = run;
  const { kills, cuts } = injected;
  const records = [...evidence.records.values()];
  const tries = ledger.entries.reduce((sum, entry) => sum + entry.tries, 0);
  const times = Object.entries(injected.recoveriesMs).map(([name, ms]) => `${name} ${spread(ms)}`);
  const rest =
    idleAfterMs === undefined ? 'not all was done by the deadline' : `${seconds(idleAfterMs)} until all was done`;
  return [
    ['requests for jobs', `${String(ledger.entries.length)} callers, ${String(tries)} tries`],
    ['jobs', counted(records, ({ type }) => type)],
    ['how they ended', listed(countBy(records, ({ status }) => status))],
    ['snapshots', `${String(run.snapshots.started.length)}, looked for ${String(run.snapshots.looks)} times`],
    ['kills', counted(kills, ({ victim }) => victim)],
    ['of them by SIGTERM', String(kills.filter(({ signal }) => signal === 'SIGTERM').length)],
    ['cuts', counted(cuts, ({ line }) => line)],
    ['answers', listed(Object.fromEntries(ledger.statuses))],
    ['requests without an answer', String(ledger.unanswered)],
    ['answers to the hostile caller', listed(run.hostileAnswers)],
    ['most memory, in MiB', listed(rounded(run.peaksMib))],
    ['files', String(run.files)],
    ['webhooks', `${String(run.receptions)} received, ${String(run.repeats)} of them again`],
    ['money given back of jobs that never began', String(evidence.givenBack.length)],
    ['back after a kill, median and longest', times.join(', ')],
    ['time', `${seconds(run.injectedForMs)} of trouble, then ${rest}`],
  ];
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

function rounded(values: Readonly<Record<string, number>>): Record<string, number> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, Math.round(value)]));
}

function counted<Item>(items: readonly Item[], nameOf: (item: Item) => string): string {
  return `${String(items.length)}: ${listed(countBy(items, nameOf))}`;
}

function listed(counts: Readonly<Record<string, number>>): string {
  return Object.entries(counts)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, count]) => `${name} ${String(count)}`)
    .join(', ');
}
