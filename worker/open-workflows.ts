import { WorkflowNotFoundError, type Client } from '@temporalio/client';

const RPC_DEADLINE_MS = 10_000;

/** @returns a function that tells whether a workflow with an ID is open */
export function createOpenWorkflows(client: Client): (workflowId: string) => Promise<boolean> {
  return async (workflowId) => {
    try {
      const { status } = await client.connection.withDeadline(Date.now() + RPC_DEADLINE_MS, () =>
        client.workflow.getHandle(workflowId).describe(),
      );
      return status.name === 'RUNNING';
    } catch (error) {
      if (error instanceof WorkflowNotFoundError) return false;
      throw error;
    }
  };
}
