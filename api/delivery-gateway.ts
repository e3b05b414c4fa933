import type { Client } from '@temporalio/client';
import type { DownloadRecord } from '../contract/download-record.ts';
import { deliveryPriorityOf } from '../contract/http/webhook-delivery.ts';
import { webhookAttributesOf } from '../runtime/temporal/visibility.ts';
import type * as workflows from '../workflows/index.ts';
import type { DeliveryInput } from '../workflows/webhooks/deliver-webhook.ts';
import { unlessClosed } from './job-gateway.ts';

interface DeliveryRound extends DeliveryInput {
  readonly firstAttempt: number;
  /** The record whose result is delivered, where it is known; its search attributes are copied to the delivery. */
  readonly record?: DownloadRecord | undefined;
}

export type DeliveryGateway = ReturnType<typeof createDeliveryGateway>;

/** Deliveries as Temporal workflows, each with at most one open run. */
export function createDeliveryGateway(client: Client, taskQueue: string) {
  return {
    /** Starts a round of attempts. @returns false when a round is running */
    start: ({ record, ...input }: DeliveryRound): Promise<boolean> =>
      unlessClosed(client, () =>
        client.workflow.start<typeof workflows.deliverWebhook>('deliverWebhook', {
          workflowId: input.deliveryId,
          workflowIdConflictPolicy: 'FAIL',
          workflowIdReusePolicy: 'ALLOW_DUPLICATE',
          taskQueue,
          args: [input],
          priority: deliveryPriorityOf(input.url),
          typedSearchAttributes: webhookAttributesOf(input, record && { ...record, recordId: record.id }),
          staticSummary: `Webhook of download ${input.recordId}${input.firstAttempt === 1 ? '' : ', again'}`,
        }),
      ),
  };
}
