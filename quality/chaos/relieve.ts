import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { openWorkflows } from './idle.ts';
import type { InjectorDeps } from './inject-faults.ts';

const ROOT = join(import.meta.dirname, '../..');
const LOOK_MS = 500;
/** The run fails if too few jobs are open after this time. */
const WAIT_MS = 10 * 60_000;

/** Upgrades and rolls back, each as soon as enough jobs are open. */
export async function relieveTwice(
  { stage, say, signal }: InjectorDeps,
  { before, openJobs }: { readonly before: string; readonly openJobs: number },
): Promise<void> {
  if (stage.relay === undefined) throw new Error('no other release has begun');
  for (const [what, root] of [
    ['upgraded', ROOT],
    ['rolled back', before],
  ] as const) {
    const open = await untilOpen(openJobs);
    say(`${String(open)} jobs are open`);
    await stage.relay.relieve(root);
    say(what);
  }

  async function untilOpen(wanted: number): Promise<number> {
    const deadline = Date.now() + WAIT_MS;
    for (;;) {
      const open = (await openWorkflows(stage)).filter((id) => !id.startsWith('webhook/')).length;
      if (open >= wanted) return open;
      if (Date.now() > deadline) throw new Error(`only ${String(open)} of ${String(wanted)} jobs are open`);
      await delay(LOOK_MS, undefined, { signal });
    }
  }
}
