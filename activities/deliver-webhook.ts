import { Context } from '@temporalio/activity';
import { ApplicationFailure, ApplicationFailureCategory } from '@temporalio/common';
import type { z } from 'zod';
import { SUBSCRIPTION_ENDPOINT } from '../contract/subscriptions/subscription-state.ts';
import type { SubscriptionStore } from '../store/records/subscription-store.ts';
import { BATCH_ENDPOINT } from '../contract/batches/batch-state.ts';
import { MissingContentsError } from '../contract/kinds/contents.ts';
import { kinds } from '../contract/kinds/kinds.ts';
import { WITHOUT_KEY, type Delivery, type DeliveryAttempt } from '../contract/http/webhook-delivery.ts';
import type { deliverySchema } from '../runtime/inputs/input-fields.ts';
import { nowMicroseconds } from '../store/mongo/clock.ts';
import type { BatchStore } from '../store/records/batch-store.ts';
import type { DeliveryStore } from '../store/records/delivery-store.ts';
import type { RecordStore } from '../store/records/record-store.ts';
import type { PostOutcome, WebhookClient } from '../outbound/webhooks/webhook-client.ts';
import { ReceiverBusyError, type ReceiverSlot, type ReceiverShares } from '../outbound/webhooks/receiver-shares.ts';
import { withHeartbeat } from './heartbeat.ts';
import { webhookMessage, type EndedWork, type MessageDeps } from './webhook-message.ts';

export interface DeliverDeps extends MessageDeps {
  readonly records: RecordStore;
  readonly batches: Pick<BatchStore, 'get'>;
  readonly subscriptions: Pick<SubscriptionStore, 'get'>;
  readonly deliveries: DeliveryStore;
  readonly webhooks: WebhookClient;
  readonly receivers: ReceiverShares;
}

export interface AttemptInput extends z.infer<typeof deliverySchema> {
  /** Starts at 1 and continues through all rounds of a delivery. */
  readonly attempt: number;
  /** Whether the delivery is abandoned if this attempt is refused. */
  readonly isLast: boolean;
}

/** `refused`: the receiver did not answer 2xx; `forbidden`: the target may not be called, so a retry is useless. */
export type AttemptResult = 'delivered' | 'refused' | 'forbidden';
/** `queue`: nothing was sent, because the attempt cannot be a local activity. */
export type LocalAttemptResult = AttemptResult | 'queue';

/** Each local activity occupies one of the 40 slots for workflow tasks, which jobs need. */
const LOCAL_MAX = 10;

export function createDeliverActivity(deps: DeliverDeps) {
  let locals = 0;
  const attemptLocally = async (input: AttemptInput, slot: ReceiverSlot): Promise<LocalAttemptResult> => {
    if (locals >= LOCAL_MAX) return 'queue';
    locals += 1;
    try {
      return await attemptOnce(deps, input, { slot, signal: Context.current().cancellationSignal, isLocal: true });
    } finally {
      locals -= 1;
    }
  };
  return {
    /**
     * Sends the result of a job to a subscription and records the attempt. A recorded attempt is not repeated, because
     * the worker may have died before it reported it. If the receiver has its share of requests in progress, the
     * activity fails with a retry delay, and no attempt is counted.
     */
    attemptDelivery: async (input: AttemptInput): Promise<LocalAttemptResult> => {
      const { isLocal } = Context.current().info;
      try {
        // This check comes first, because a receiver that hangs may have thousands of attempts.
        const slot = deps.receivers.enter(input.url, keyOf(input));
        try {
          if (isLocal) return await attemptLocally(input, slot);
          return await withHeartbeat((_report, signal) => attemptOnce(deps, input, { slot, signal }));
        } finally {
          slot.leave();
        }
      } catch (error) {
        if (isLocal && error instanceof ReceiverBusyError) return 'queue';
        if (error instanceof MissingContentsError) throw ApplicationFailure.nonRetryable(error.message, 'internal');
        if (!(error instanceof ReceiverBusyError)) throw error;
        // The delivery is visible to its callers while it waits.
        if (Context.current().info.attempt === 1) await openDelivery(deps, input);
        throw ApplicationFailure.create({
          message: error.message,
          type: 'receiver-busy',
          nextRetryDelay: error.retryAfterMs,
          // Prevents a warning in the log for each of thousands of waits.
          category: ApplicationFailureCategory.BENIGN,
        });
      }
    },
  };
}

/** @returns the API key whose share of the slots the attempt uses; callers without a key are indistinguishable */
function keyOf({ subscribedBy = [] }: AttemptInput): string | undefined {
  return subscribedBy.find((subscriber) => subscriber !== WITHOUT_KEY && subscriber !== 'service');
}

async function attemptOnce(
  deps: DeliverDeps,
  input: AttemptInput,
  how: { readonly slot: ReceiverSlot; readonly signal: AbortSignal; readonly isLocal?: boolean },
): Promise<LocalAttemptResult> {
  const { ended, delivery } = await openDelivery(deps, input);
  const made = delivery.attempts.find((attempt) => attempt.number === input.attempt);
  if (made !== undefined) return resultOf(made);

  const message = await webhookMessage(delivery, ended, deps);
  if (how.isLocal === true && typeof message.body !== 'string') return 'queue';
  const startedAt = nowMicroseconds();
  const outcome = await deps.webhooks.post(input.url, {
    ...message,
    signal: how.signal,
    onAddresses: (addresses) => how.slot.addAddresses(addresses),
  });
  const attempt = { number: input.attempt, startedAt, ...attemptOf(outcome) };
  const result = resultOf(attempt);
  const over = input.isLast || result === 'forbidden';
  const state = result === 'delivered' ? 'delivered' : over ? 'abandoned' : 'pending';
  await deps.deliveries.recordAttempt(delivery.id, attempt, { state, firstAttempt: input.firstAttempt ?? 1 });
  return result;
}

async function openDelivery(
  deps: DeliverDeps,
  { deliveryId, recordId, url, subscribedBy = [] }: AttemptInput,
): Promise<{ readonly ended: EndedWork; readonly delivery: Delivery }> {
  const ended =
    (await deps.records.getKnown(recordId)) ??
    (await deps.batches.get(recordId)) ??
    (await deps.subscriptions.get(recordId));
  if (ended === undefined || ('status' in ended && ended.status === 'pending'))
    throw new Error(`record ${recordId} has not ended`);
  const endpoint = endpointOf(ended);
  const delivery = await deps.deliveries.open({
    id: deliveryId,
    recordId,
    url,
    ...(subscribedBy.length === 0 ? {} : { subscribedBy }),
    endpoint,
    createdAt: nowMicroseconds(),
  });
  return { ended, delivery };
}

function endpointOf(ended: EndedWork): string {
  if ('counts' in ended) return BATCH_ENDPOINT;
  return 'everyMinutes' in ended ? SUBSCRIPTION_ENDPOINT : kinds[ended.type].endpoint;
}

function attemptOf(outcome: PostOutcome): Pick<DeliveryAttempt, 'durationMs' | 'statusCode' | 'error'> {
  const durationMs = Math.round(outcome.durationMs);
  if (outcome.kind === 'answered') return { durationMs, statusCode: outcome.statusCode };
  return { durationMs, error: outcome.kind === 'forbidden' ? 'forbidden' : outcome.error };
}

function resultOf(attempt: DeliveryAttempt): AttemptResult {
  if (attempt.error === 'forbidden') return 'forbidden';
  const status = attempt.statusCode ?? 0;
  return status >= 200 && status < 300 ? 'delivered' : 'refused';
}
