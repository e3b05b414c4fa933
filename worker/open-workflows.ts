import { WorkflowNotFoundError, type Client } from '@temporalio/client';

const RPC_DEADLINE_MS = 10_000;

/** @returns a function that tells whether a workflow with an ID is open, or a certain run of it */
export function createOpenWorkflows(client: Client) {
  return async (workflowId: string, runId?: string): Promise<boolean> => {
    try {
      const { status } = await client.connection.withDeadline(Date.now() + RPC_DEADLINE_MS, () =>
        client.workflow.getHandle(workflowId, runId).describe(),
      );
      return status.name === 'RUNNING';
    } catch (error) {
      if (error instanceof WorkflowNotFoundError) return false;
      throw error;
    }
  };
}
