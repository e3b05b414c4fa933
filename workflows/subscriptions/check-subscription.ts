import { ParentClosePolicy, setCurrentDetails, startChild } from '@temporalio/workflow';
import { WorkflowExecutionAlreadyStartedError } from '@temporalio/common';
import { batchWorkflowIdOf } from '../../contract/batches/batch-state.ts';
import { deliveryIdOf } from '../../contract/http/webhook-delivery.ts';
import { batchAttributesOf } from '../../runtime/temporal/visibility.ts';
import { listReaders, records } from '../activity-proxies.ts';
import { batch } from '../batches/run-batch.ts';
import { outcomeOf } from '../lifecycle/job-outcome.ts';
import { startDelivery } from '../webhooks/start-delivery.ts';

export interface CheckInput {
  readonly subscriptionId: string;
}

/** A check of a subscription, which its schedule starts: reads the newest entries and starts a batch for what is new. */
export async function checkSubscription({ subscriptionId }: CheckInput): Promise<string> {
  const order = await records.beginCheck({ subscriptionId });
  if (order === undefined) return 'The subscription is paused or does not exist.';
  const { startedBy, webhookUrl } = order;
  const { outcome } = await outcomeOf(async () => {
    await listReaders(order, `List the newest entries of ${order.url}`).findNewEntries({ subscriptionId });
    return {};
  });
  const failure = outcome.status === 'failed' ? outcome.failure : undefined;
  const { batchId, notice } = await records.endCheck({ subscriptionId, ...(failure && { failure }) });
  if (batchId !== undefined) {
    await startBatch(batchId, { startedBy, ...(webhookUrl !== undefined && { webhookUrl }) });
    await records.closeCheck({ subscriptionId });
  }
  if (notice !== undefined && webhookUrl !== undefined) {
    const deliveryId = deliveryIdOf(subscriptionId, notice);
    const delivery = { deliveryId, recordId: subscriptionId, url: webhookUrl, subscribedBy: [startedBy] };
    await startDelivery(delivery, { about: `subscription ${subscriptionId}` });
  }
  const result = failure?.message ?? (batchId === undefined ? 'Nothing is new.' : `New entries: batch ${batchId}.`);
  setCurrentDetails(result);
  return result;
}

async function startBatch(
  batchId: string,
  input: { readonly startedBy: string; readonly webhookUrl?: string },
): Promise<void> {
  try {
    await startChild(batch, {
      workflowId: batchWorkflowIdOf(batchId),
      args: [{ batchId, end: 1, ...input }],
      parentClosePolicy: ParentClosePolicy.ABANDON,
      typedSearchAttributes: batchAttributesOf(batchId, input.startedBy),
      staticSummary: `Batch ${batchId}`,
    });
  } catch (error) {
    // An earlier check has started it and was terminated before it ended.
    if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
  }
}
