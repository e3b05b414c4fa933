import { setTimeout as delay } from 'node:timers/promises';
import { Client, Connection } from '@temporalio/client';
import { isSettled, type CallersLedger } from './ledger.ts';
import { owedWebhooks } from './audit/webhooks.ts';
import type { Stage } from './stage.ts';

const LOOK_MS = 1_000;
/** These workflows always run, because they wait for their schedule. */
const STANDING = /^retention\//;

/** Waits until callers, webhooks, workflows and all else have ended. @returns the milliseconds, or undefined after the deadline */
export async function waitUntilIdle(
  stage: Stage,
  ledger: CallersLedger,
  { isDone, withinMs, signal }: { isDone: () => boolean; withinMs: number; signal: AbortSignal },
): Promise<number | undefined> {
  const startedMs = performance.now();
  for (;;) {
    const tookMs = performance.now() - startedMs;
    const isIdle =
      isDone() &&
      ledger.entries.every(isSettled) &&
      owedWebhooks(ledger, stage.receptions()).length === 0 &&
      (await openWorkflows(stage)).length === 0;
    if (isIdle) return tookMs;
    if (tookMs > withinMs) return undefined;
    await delay(LOOK_MS, undefined, { signal });
  }
}

/** Returns the IDs of running workflows, except those that always run. */
export async function openWorkflows({ engines }: Pick<Stage, 'engines'>): Promise<readonly string[]> {
  // A direct connection to the server, which is never cut.
  const connection = await Connection.connect({ address: engines.temporalAddress });
  try {
    const ids: string[] = [];
    const query = "ExecutionStatus = 'Running'";
    for await (const { workflowId } of new Client({ connection }).workflow.list({ query })) ids.push(workflowId);
    return ids.filter((id) => !STANDING.test(id));
  } finally {
    await connection.close();
  }
}
