import type { Client } from '@temporalio/client';
import type { PacingDeps } from '../activities/pacing.ts';
import { permitRequestSchema } from '../runtime/inputs/pacing.ts';
import { limiterIdOf, type PermitRequest } from '../runtime/pacing.ts';
import { parseJson } from '../runtime/json.ts';
import type { PauseView } from '../runtime/pause-view.ts';
import { pauseSignal, permitGrantedSignal } from '../workflows/messages.ts';
import { ask } from './open-workflows.ts';

// What jobs of version 4da8403 need until they have ended. They asked a workflow per route, its limiter, for a turn.

/** While workers of that version run beside this one, their jobs start limiters anew. */
const LIMITERS_EVERY_MS = 10 * 60_000;
/** Those who waited for the end of a pause do not begin all at once. */
const SPREAD_MS = 10_000;

/** Grants turns at once, or after the pause. Should the worker end before that, the job asks again. */
export function createOldTurns(
  client: Client,
  { taskQueue, pauseOf }: { readonly taskQueue: string; readonly pauseOf: PauseView },
): PacingDeps['grantTurn'] {
  return async ({ route }, asker) => {
    const limiterId = limiterIdOf(taskQueue, route);
    const pause = await pauseOf(route);
    if (pause === undefined) {
      await grant(client, asker, limiterId);
      return limiterId;
    }
    const { code, reason, untilMs } = pause;
    const job = client.workflow.getHandle(asker.workflowId, asker.runId);
    await ask(client, () =>
      job.signal(pauseSignal, { turnId: asker.turnId, notice: { state: 'paused', code, reason, untilMs } }),
    );
    const waitMs = Math.max(1_000, untilMs - Date.now()) + Math.random() * SPREAD_MS;
    setTimeout(() => void grant(client, asker, limiterId).catch(() => undefined), waitMs).unref();
    return limiterId;
  };
}

async function grant(client: Client, { turnId, workflowId, runId }: PermitRequest, limiterId: string): Promise<void> {
  const job = client.workflow.getHandle(workflowId, runId);
  await ask(client, () => job.signal(permitGrantedSignal, { turnId, limiterId }));
}

/**
 * Ends the limiters that run, when those who wait for them have been let go on. They are read from their histories: no worker has
 * their code any more.
 *
 * @returns how many there were
 */
async function endLimiters(client: Client, taskQueue: string): Promise<number> {
  let ended = 0;
  const query = `WorkflowType = 'limiter' AND ExecutionStatus = 'Running' AND TaskQueue = '${taskQueue}'`;
  for await (const { workflowId, runId } of client.workflow.list({ query })) {
    const limiter = client.workflow.getHandle(workflowId, runId);
    const history = await ask(client, () => limiter.fetchHistory());
    const askers = new Map<string, PermitRequest>();
    for (const event of history?.events ?? []) {
      const payloads =
        event.workflowExecutionStartedEventAttributes?.input?.payloads ??
        event.workflowExecutionSignaledEventAttributes?.input?.payloads;
      for (const { data } of payloads ?? [])
        collectAskers(parseJson(new TextDecoder().decode(data ?? undefined)), askers);
    }
    // Who waits for nothing leaves it out.
    for (const asker of askers.values()) await grant(client, asker, workflowId);
    await ask(client, () => limiter.terminate('Jobs are paced by their task queues.'));
    ended += 1;
  }
  return ended;
}

/** Ends limiters now and again and again: without a worker that knows their code they would stay for ever. */
export function keepEndingLimiters(
  client: Client,
  {
    taskQueue,
    everyMs = LIMITERS_EVERY_MS,
    onEnded,
    onError,
  }: {
    readonly taskQueue: string;
    readonly everyMs?: number;
    readonly onEnded: (ended: number) => void;
    readonly onError: (error: unknown) => void;
  },
): { readonly stop: () => void } {
  const end = (): void =>
    void endLimiters(client, taskQueue)
      .then((ended) => (ended > 0 ? onEnded(ended) : undefined))
      .catch(onError);
  end();
  const timer = setInterval(end, everyMs);
  return { stop: () => clearInterval(timer) };
}

/** Every request for a permit in what a limiter was told, wherever it stands. */
function collectAskers(told: unknown, askers: Map<string, PermitRequest>): void {
  if (typeof told !== 'object' || told === null) return;
  const { success, data } = permitRequestSchema.safeParse(told);
  if (success) askers.set(data.turnId, data);
  for (const part of Object.values(told)) collectAskers(part, askers);
}
