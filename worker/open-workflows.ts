import { WorkflowNotFoundError, type Client } from '@temporalio/client';
import { MEMO_JOB } from '../contract/job-input.ts';

/** A call that hangs must not use up the whole time of its activity. */
const RPC_DEADLINE_MS = 10_000;

/** @returns undefined when there is no such workflow */
export async function ask<Result>(client: Client, call: () => Promise<Result>): Promise<Result | undefined> {
  try {
    return await client.connection.withDeadline(Date.now() + RPC_DEADLINE_MS, call);
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return undefined;
    throw error;
  }
}

/** @returns a function that tells whether a workflow with an ID is open, or a certain run of it */
export function createOpenWorkflows(client: Client) {
  return async (workflowId: string, runId?: string): Promise<boolean> => {
    const found = await ask(client, () => client.workflow.getHandle(workflowId, runId).describe());
    return found?.status.name === 'RUNNING';
  };
}

/** @returns a function that cancels the open job of a record. A later job of the subject continues. */
export function createJobCancellation(client: Client) {
  return async ({ subjectId, recordId }: { readonly subjectId: string; readonly recordId: string }): Promise<void> => {
    await ask(client, async () => {
      const { memo, runId } = await client.workflow.getHandle(subjectId).describe();
      const job = memo?.[MEMO_JOB] as { readonly recordId?: unknown } | undefined;
      if (job?.recordId === recordId) await client.workflow.getHandle(subjectId, runId).cancel();
    });
  };
}
