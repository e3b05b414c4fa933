import { status } from '@grpc/grpc-js';
import { isGrpcServiceError, type Client, type WorkflowExecutionInfo } from '@temporalio/client';
import { SEARCH_ATTRIBUTES } from './visibility.ts';

const RPC_DEADLINE_MS = 5_000;
/** The server limits the length of a query. */
const IDS_PER_QUERY = 50;

export type JobHistories = ReturnType<typeof createJobHistories>;

/** The histories of jobs and of their deliveries, which contain titles and the names of files. */
export function createJobHistories(client: Client) {
  const within = <Result>(call: () => Promise<Result>): Promise<Result> =>
    client.connection.withDeadline(Date.now() + RPC_DEADLINE_MS, call);
  return {
    /** May be repeated. @returns false, with nothing removed, while a job or delivery of the records is open */
    async remove(recordIds: readonly string[]): Promise<boolean> {
      const found: WorkflowExecutionInfo[] = [];
      for (let first = 0; first < recordIds.length; first += IDS_PER_QUERY) {
        const ids = recordIds.slice(first, first + IDS_PER_QUERY).map((id) => `'${id}'`);
        const query = `${SEARCH_ATTRIBUTES.downloadId} IN (${ids.join(', ')})`;
        await within(async () => {
          for await (const one of client.workflow.list({ query })) found.push(one);
        });
      }
      if (found.some((one) => one.status.name === 'RUNNING')) return false;
      const { namespace } = client.options;
      for (const { workflowId, runId } of found) {
        const workflowExecution = { workflowId, runId };
        await within(() => client.workflowService.deleteWorkflowExecution({ namespace, workflowExecution })).catch(
          (error: unknown) => {
            // It is listed for a while after its removal.
            if (!isGrpcServiceError(error) || error.code !== status.NOT_FOUND) throw error;
          },
        );
      }
      return true;
    },
  };
}
