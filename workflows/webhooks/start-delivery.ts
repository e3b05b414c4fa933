import { WorkflowExecutionAlreadyStartedError } from '@temporalio/common';
import { ChildWorkflowCancellationType, ParentClosePolicy, startChild } from '@temporalio/workflow';
import { deliveryPriorityOf, receiverHostOf } from '../../contract/http/webhook-delivery.ts';
import type { JobInput } from '../../contract/job-input.ts';
import { webhookAttributesOf } from '../../runtime/temporal/visibility.ts';
import { deliverWebhook, type DeliveryInput } from './deliver-webhook.ts';

interface Origin {
  /** The subject of the webhook, for the Web UI, such as `download ID`. */
  readonly about: string;
  /** Absent for the webhook of a batch. */
  readonly job?: JobInput;
}

/** Starts the child workflow of a webhook, which outlives its parent. */
export async function startDelivery(
  delivery: DeliveryInput & { readonly subscribedBy: string[] },
  { about, job }: Origin,
): Promise<void> {
  const { deliveryId, url } = delivery;
  const host = `To ${receiverHostOf(url)}`;
  try {
    // A child that has not started yet would end with its parent.
    await startChild(deliverWebhook, {
      workflowId: deliveryId,
      args: [delivery],
      parentClosePolicy: ParentClosePolicy.ABANDON,
      cancellationType: ChildWorkflowCancellationType.ABANDON,
      // The activities of the child inherit the priority.
      priority: deliveryPriorityOf(url),
      typedSearchAttributes: webhookAttributesOf(delivery, job),
      staticSummary: `Webhook of ${about}`,
      staticDetails: job === undefined ? host : `${host}, of the job ${job.subjectId}`,
    });
  } catch (error) {
    // After an operator has reset the parent, its first delivery may still run, and notifies the receiver.
    if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
  }
}
