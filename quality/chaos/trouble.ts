import { setTimeout as delay } from 'node:timers/promises';
import type { PlannedCut, PlannedKill, Victim } from './disturbances.ts';
import { toolsOf } from './processes.ts';
import type { Recovery } from './recovery.ts';
import type { Stage } from './stage.ts';

/** A process that was killed just before is waited for; a tool is there only now and then. */
const WAIT_MS = { process: 90_000, tool: 3_000 };
const LOOK_MS = 50;

export interface Kill {
  readonly atMs: number;
  readonly victim: Victim;
  readonly signal: NodeJS.Signals;
}

/** What was done to the run so far. */
export interface Troubles {
  readonly kills: Kill[];
  readonly cuts: { readonly atMs: number; readonly line: string; readonly forMs: number }[];
}

export interface TroubleDeps {
  readonly stage: Stage;
  readonly recovery: Recovery;
  /** Milliseconds since the begin of the run. */
  readonly nowMs: () => number;
  readonly troubles: Troubles;
  readonly say: (line: string) => void;
  readonly signal: AbortSignal;
}

/** Kills by the plan. Returns after the last. */
export async function killAll(deps: TroubleDeps, plan: readonly PlannedKill[]): Promise<void> {
  for (const { atMs, victims, signal } of plan) {
    await delay(Math.max(0, atMs - deps.nowMs()), undefined, { signal: deps.signal });
    await Promise.all(victims.map((victim) => killOne(deps, victim, signal)));
  }
}

async function killOne(deps: TroubleDeps, wanted: Victim, signal: NodeJS.Signals): Promise<void> {
  const { stage, recovery, troubles, nowMs, say } = deps;
  const startedMs = nowMs();
  // Where no tool turns up, the worker stands in for it.
  let victim = wanted;
  for (let pid = pidOf(stage, victim); ; pid = pidOf(stage, victim)) {
    if (pid !== undefined) {
      stage.kill(pid, signal);
      if (victim !== 'tool') recovery.began(victim);
      troubles.kills.push({ atMs: nowMs(), victim, signal });
      say(`killed ${victim} (${signal})`);
      return;
    }
    const waitedMs = nowMs() - startedMs;
    if (victim === 'tool' && waitedMs > WAIT_MS.tool) victim = 'worker';
    if (waitedMs > WAIT_MS.process) throw new Error(`${victim} was not started again within ${String(waitedMs)} ms`);
    await delay(LOOK_MS, undefined, { signal: deps.signal });
  }
}

function pidOf(stage: Stage, victim: Victim): number | undefined {
  if (victim !== 'tool') return stage.pidOf(victim);
  const worker = stage.pidOf('worker');
  return worker === undefined ? undefined : toolsOf(worker).at(-1)?.pid;
}

/** Cuts by the plan, and mends each after its time. Returns when all are mended. */
export async function cutAll(deps: TroubleDeps, plan: readonly PlannedCut[]): Promise<void> {
  const { stage, troubles, nowMs, say } = deps;
  await Promise.all(
    plan.map(async ({ atMs, line, forMs }) => {
      await delay(Math.max(0, atMs - nowMs()), undefined, { signal: deps.signal });
      troubles.cuts.push({ atMs: nowMs(), line, forMs: Math.round(forMs) });
      say(`cut the line to ${line} for ${(forMs / 1000).toFixed(1)} s`);
      stage.lines[line].spoil('down');
      await delay(forMs, undefined, { signal: deps.signal }).finally(() => stage.lines[line].mend());
    }),
  );
}
