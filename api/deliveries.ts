import { WorkflowExecutionAlreadyStartedError, type Client } from '@temporalio/client';
import { deliveryPriorityOf } from '../contract/webhooks.ts';
import { webhookAttributesOf } from '../runtime/visibility.ts';
import type * as workflows from '../workflows/index.ts';
import type { DeliveryInput } from '../workflows/deliver-webhook.ts';
import { unavailable } from './jobs.ts';

const RPC_DEADLINE_MS = 5_000;

export type DeliveryGateway = ReturnType<typeof createDeliveryGateway>;

/** Deliveries as Temporal workflows: one open run of each, whoever started it. */
export function createDeliveryGateway(client: Client, taskQueue: string) {
  return {
    /** Starts a round of attempts. @returns false when one runs */
    async start(input: DeliveryInput & { readonly firstAttempt: number }): Promise<boolean> {
      try {
        await client.connection.withDeadline(Date.now() + RPC_DEADLINE_MS, () =>
          client.workflow.start<typeof workflows.deliverWebhook>('deliverWebhook', {
            workflowId: input.deliveryId,
            workflowIdConflictPolicy: 'FAIL',
            workflowIdReusePolicy: 'ALLOW_DUPLICATE',
            taskQueue,
            args: [input],
            priority: deliveryPriorityOf(input.url),
            typedSearchAttributes: webhookAttributesOf(input),
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
