import { WorkflowExecutionAlreadyStartedError, type Client } from '@temporalio/client';
import { deliveryPriorityOf } from '../contract/webhooks.ts';
import type * as workflows from '../workflows/index.ts';
import type { DeliveryInput } from '../workflows/deliver-webhook.ts';
import { unavailable } from './jobs.ts';

const RPC_DEADLINE_MS = 5_000;

export interface DeliveryGateway {
  /** Starts a round of attempts. @returns false when one runs */
  start(input: DeliveryInput & { readonly firstAttempt: number }): Promise<boolean>;
}

/** Deliveries as Temporal workflows: one open run of each, whoever started it. */
export function createDeliveryGateway(client: Client, taskQueue: string): DeliveryGateway {
  return {
    async start(input) {
      try {
        await client.connection.withDeadline(Date.now() + RPC_DEADLINE_MS, () =>
          client.workflow.start<typeof workflows.deliverWebhook>('deliverWebhook', {
            workflowId: input.deliveryId,
            workflowIdConflictPolicy: 'FAIL',
            workflowIdReusePolicy: 'ALLOW_DUPLICATE',
            taskQueue,
            args: [input],
            priority: deliveryPriorityOf(input.url),
            staticSummary: `Webhook of download ${input.recordId}${input.firstAttempt === 1 ? '' : ', again'}`,
          }),
        );
        return true;
      } catch (error) {
        if (error instanceof WorkflowExecutionAlreadyStartedError) return false;
        throw unavailable(error);
      }
    },
  };
}
