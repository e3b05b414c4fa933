import { setTimeout as delay } from 'node:timers/promises';
import type { ProcessName } from '../../local/stack.ts';
import { signalProcess } from '../../local/supervise.ts';
import type { PlannedCut, PlannedKill, Victim } from './planned-faults.ts';
import { busyWarmYtdlpOf, toolsOf } from '../processes.ts';
import type { Stage } from './stage.ts';

/** A process that was killed just before is waited for; a tool is there only now and then. */
const WAIT_MS = { process: 90_000, tool: 3_000 };
const LOOK_MS = 50;
export class InjectedFaults {
  readonly kills: { readonly victim: Victim; readonly signal: NodeJS.Signals }[] = [];
  readonly cuts: { readonly line: string }[] = [];
  /** Milliseconds from each kill until the process is ready again. */
  readonly recoveriesMs: Readonly<Record<ProcessName, number[]>> = { api: [], worker: [], temporal: [], mongodb: [] };
  readonly #awaySinceMs = new Map<ProcessName, number>();

  killed(victim: Victim, signal: NodeJS.Signals): void {
    this.kills.push({ victim, signal });
    // A second kill during the restart does not restart the clock.
    if (!isTool(victim) && !this.#awaySinceMs.has(victim)) this.#awaySinceMs.set(victim, performance.now());
  }

  /** Reads the supervisor's lines, such as `worker is back`. */
  readLog(line: string): void {
    const name = /^(\w+) is back$/.exec(line)?.[1]?.toLowerCase() as ProcessName | undefined;
    const sinceMs = name === undefined ? undefined : this.#awaySinceMs.get(name);
    if (name === undefined || sinceMs === undefined) return;
    this.#awaySinceMs.delete(name);
    this.recoveriesMs[name].push(performance.now() - sinceMs);
  }
}

export interface InjectorDeps {
  readonly stage: Stage;
  readonly nowMs: () => number;
  readonly injected: InjectedFaults;
  readonly say: (line: string) => void;
  readonly signal: AbortSignal;
}

export async function killAll(deps: InjectorDeps, plan: readonly PlannedKill[]): Promise<void> {
  for (const { atMs, victims, signal } of plan) {
    await delay(Math.max(0, atMs - deps.nowMs()), undefined, { signal: deps.signal });
    await Promise.all(victims.map((victim) => killOne(deps, victim, signal)));
  }
}

async function killOne(deps: InjectorDeps, wanted: Victim, signal: NodeJS.Signals): Promise<void> {
  const { stage, injected, nowMs, say } = deps;
  const startedMs = nowMs();
  // If no tool runs, the worker is killed instead.
  let victim = wanted;
  for (let pid = pidOf(stage, victim); ; pid = pidOf(stage, victim)) {
    if (pid !== undefined) {
      signalProcess(pid, signal);
      injected.killed(victim, signal);
      say(`killed ${victim} (${signal})`);
      return;
    }
    const waitedMs = nowMs() - startedMs;
    if (isTool(victim) && waitedMs > WAIT_MS.tool) victim = 'worker';
    if (waitedMs > WAIT_MS.process) throw new Error(`${victim} was not started again within ${String(waitedMs)} ms`);
    await delay(LOOK_MS, undefined, { signal: deps.signal });
  }
}

function isTool(victim: Victim): victim is Exclude<Victim, ProcessName> {
  return victim === 'tool' || victim === 'warm-yt-dlp';
}

function pidOf(stage: Stage, victim: Victim): number | undefined {
  if (!isTool(victim)) return stage.pidOf(victim);
  const worker = stage.pidOf('worker');
  if (worker === undefined) return undefined;
  return victim === 'tool' ? toolsOf(worker).at(-1)?.pid : busyWarmYtdlpOf(worker)?.pid;
}

/** Cuts by the plan, and mends each after its time. Returns when all are mended. */
export async function cutAll(deps: InjectorDeps, plan: readonly PlannedCut[]): Promise<void> {
  const { stage, injected, nowMs, say, signal } = deps;
  await Promise.all(
    plan.map(async ({ atMs, line, forMs }) => {
      await delay(Math.max(0, atMs - nowMs()), undefined, { signal });
      injected.cuts.push({ line });
      say(`cut the line to ${line} for ${(forMs / 1000).toFixed(1)} s`);
      stage.lines[line].spoil('down');
      await delay(forMs, undefined, { signal }).finally(() => stage.lines[line].mend());
    }),
  );
}
