import { setTimeout as delay } from 'node:timers/promises';
import { Client, Connection } from '@temporalio/client';
import { isSettled, type CallersLedger } from './ledger.ts';
import { owedWebhooks } from './audit/webhooks.ts';
import type { Stage } from './stage.ts';

const LOOK_MS = 1_000;
/** These stay open on purpose: they wait for their time. */
const STANDING = /^retention\//;

/**
 * Waits until everything has come to its end: callers, webhooks, workflows.
 *
 * @returns how long that took; undefined when it had not by the deadline
 * @throws the signal's reason
 */
export async function waitUntilIdle(
  stage: Stage,
  ledger: CallersLedger,
  { withinMs, signal }: { withinMs: number; signal: AbortSignal },
): Promise<number | undefined> {
  const startedMs = performance.now();
  for (;;) {
    const tookMs = performance.now() - startedMs;
    const isIdle =
      ledger.entries.every(isSettled) &&
      owedWebhooks(ledger, stage.receptions()).length === 0 &&
      (await openWorkflows(stage)).length === 0;
    if (isIdle) return tookMs;
    if (tookMs > withinMs) return undefined;
    await delay(LOOK_MS, undefined, { signal });
  }
}

/** IDs of the workflows that run, those left out which always do. */
export async function openWorkflows({ engines }: Pick<Stage, 'engines'>): Promise<readonly string[]> {
  // Straight to the server: the audit's own line is never cut.
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
