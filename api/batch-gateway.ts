import type { Client } from '@temporalio/client';
import { batchWorkflowIdOf } from '../contract/batches/batch-state.ts';
import { batchAttributesOf } from '../runtime/temporal/visibility.ts';
import type { BatchInput } from '../workflows/batches/run-batch.ts';
import type * as workflows from '../workflows/index.ts';
import { resumeSignal } from '../workflows/lifecycle/messages.ts';
import { unlessClosed } from './job-gateway.ts';

export type BatchGateway = ReturnType<typeof createBatchGateway>;

/** Batches as Temporal workflows, each with at most one open run. */
export function createBatchGateway(client: Client, taskQueue: string) {
  const handleOf = (batchId: string) => client.workflow.getHandle(batchWorkflowIdOf(batchId));
  /** @returns false when the workflow is not open */
  const call = (work: () => Promise<unknown>): Promise<boolean> => unlessClosed(client, work);
  return {
    /** @returns false when the batch runs */
    start: (input: BatchInput): Promise<boolean> =>
      call(() =>
        client.workflow.start<typeof workflows.batch>('batch', {
          workflowId: batchWorkflowIdOf(input.batchId),
          workflowIdConflictPolicy: 'FAIL',
          workflowIdReusePolicy: 'ALLOW_DUPLICATE',
          taskQueue,
          args: [input],
          typedSearchAttributes: batchAttributesOf(input.batchId, input.startedBy),
          staticSummary: `Batch ${input.batchId}`,
        }),
      ),
    resume: (batchId: string): Promise<boolean> => call(() => handleOf(batchId).signal(resumeSignal)),
    cancel: (batchId: string): Promise<boolean> => call(() => handleOf(batchId).cancel()),
    isOpen: (batchId: string): Promise<boolean> =>
      call(async () => (await handleOf(batchId).describe()).status.name === 'RUNNING'),
  };
}
