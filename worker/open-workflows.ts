import { WorkflowNotFoundError, type Client } from '@temporalio/client';

/** @returns a function that tells whether a workflow with an ID is open */
export function createOpenWorkflows(client: Client): (workflowId: string) => Promise<boolean> {
  return async (workflowId) => {
    try {
      return (await client.workflow.getHandle(workflowId).describe()).status.name === 'RUNNING';
    } catch (error) {
      if (error instanceof WorkflowNotFoundError) return false;
      throw error;
    }
  };
}
