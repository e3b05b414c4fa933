import type { Client } from '@temporalio/client';
import { batchWorkflowIdOf } from '../contract/batches/batch-state.ts';
import type { DownloadRecord } from '../contract/download-record.ts';
import { deliveryPriorityOf } from '../contract/http/webhook-delivery.ts';
import { batchAttributesOf, webhookAttributesOf } from '../runtime/temporal/visibility.ts';
import type { BatchInput } from '../workflows/batches/run-batch.ts';
import type * as workflows from '../workflows/index.ts';
import { resumeSignal } from '../workflows/lifecycle/messages.ts';
import type { DeliveryInput } from '../workflows/webhooks/deliver-webhook.ts';
import { unlessClosed } from './job-gateway.ts';

export type BatchGateway = ReturnType<typeof createBatchGateway>;
export type DeliveryGateway = ReturnType<typeof createDeliveryGateway>;

const ONE_OPEN_RUN = { workflowIdConflictPolicy: 'FAIL', workflowIdReusePolicy: 'ALLOW_DUPLICATE' } as const;

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
          ...ONE_OPEN_RUN,
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

interface DeliveryRound extends DeliveryInput {
  readonly firstAttempt: number;
  /** The record whose result is delivered, where it is known; its search attributes are copied to the delivery. */
  readonly record?: DownloadRecord | undefined;
}

/** Deliveries as Temporal workflows, each with at most one open run. */
export function createDeliveryGateway(client: Client, taskQueue: string) {
  return {
    /** Starts a round of attempts. @returns false when a round is running */
    start: ({ record, ...input }: DeliveryRound): Promise<boolean> =>
      unlessClosed(client, () =>
        client.workflow.start<typeof workflows.deliverWebhook>('deliverWebhook', {
          workflowId: input.deliveryId,
          ...ONE_OPEN_RUN,
          taskQueue,
          args: [input],
          priority: deliveryPriorityOf(input.url),
          typedSearchAttributes: webhookAttributesOf(input, record && { ...record, recordId: record.id }),
          staticSummary: `Webhook of download ${input.recordId}${input.firstAttempt === 1 ? '' : ', again'}`,
        }),
      ),
  };
}
