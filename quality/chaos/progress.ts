import { isSettled, type CallersLedger } from './ledger.ts';
import type { Troubles } from './trouble.ts';

const EVERY_MS = 10_000;

export interface ProgressOptions {
  readonly say: (line: string) => void;
  /** Milliseconds since the begin of the run. */
  readonly nowMs: () => number;
  readonly ledger: CallersLedger;
  readonly troubles: Troubles;
  /** How many are planned, at least. */
  readonly kills: number;
}

export interface ProgressLines {
  /** A line with the time before it. */
  say(line: string): void;
  stop(): void;
}

/** Tells every ten seconds how far the run is. */
export function startProgress({ say, nowMs, ledger, troubles, kills }: ProgressOptions): ProgressLines {
  const timed = (line: string): void => say(`${clock(nowMs())}  ${line}`);
  const timer = setInterval(() => {
    const { entries } = ledger;
    const accepted = entries.filter(({ jobs }) => jobs.length > 0).length;
    timed(
      [
        `${String(accepted)} of ${String(entries.length)} callers accepted`,
        `${String(entries.filter(isSettled).length)} have their result`,
        `${String(troubles.kills.length)} killed (plan: ${String(kills)})`,
        `${String(troubles.cuts.length)} cuts`,
      ].join(', '),
    );
  }, EVERY_MS);
  return { say: timed, stop: () => clearInterval(timer) };
}

function clock(ms: number): string {
  const seconds = Math.floor(ms / 1000);
  return `${String(Math.floor(seconds / 60)).padStart(2)}:${String(seconds % 60).padStart(2, '0')}`;
}
