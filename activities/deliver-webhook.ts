import { ApplicationFailure } from '@temporalio/common';
import { MissingContentsError } from '../contract/contents.ts';
import type { DownloadRecord } from '../contract/records.ts';
import { originalStatusOf } from '../contract/failures.ts';
import type { RenderContext } from '../contract/render/context.ts';
import { renderResult } from '../contract/render/results.ts';
import { audioIdOf } from '../contract/render/speaker-labels.ts';
import { jsonChunks } from '../contract/streams.ts';
import { WEBHOOK_ENDPOINTS, webhookHeaders, type DeliveryAttempt } from '../contract/webhooks.ts';
import { nowMicroseconds } from '../store/clock.ts';
import type { DeliveryStore } from '../store/deliveries.ts';
import type { RecordStore } from '../store/records.ts';
import type { PostOutcome, WebhookClient } from '../webhooks/client.ts';
import { withHeartbeat } from './heartbeat.ts';

export interface DeliverDeps {
  readonly records: RecordStore;
  readonly deliveries: DeliveryStore;
  readonly webhooks: WebhookClient;
  readonly rendering: RenderContext;
}

export interface AttemptInput {
  readonly deliveryId: string;
  readonly recordId: string;
  readonly url: string;
  /** Counted from 1. */
  readonly attempt: number;
  /** Whether nothing follows a refusal of this attempt. */
  readonly isLast: boolean;
}

/** `refused`: no 2xx; `forbidden`: the target may not be called, and no later attempt would change that. */
export type AttemptResult = 'delivered' | 'refused' | 'forbidden';

export function createDeliverActivity(deps: DeliverDeps) {
  return {
    /**
     * Sends the result of a record to a subscriber, once, and records how that went. The body is built now, so that
     * its links are fresh.
     *
     * An attempt that is on record already is not made again: the worker died between the record and its report.
     */
    attemptDelivery: (input: AttemptInput): Promise<AttemptResult> =>
      withHeartbeat(async (_report, signal) => {
        const record = await deps.records.get(input.recordId);
        if (record === undefined || record.status === 'pending')
          throw new Error(`record ${input.recordId} has not ended`);
        const delivery = await deps.deliveries.open({
          id: input.deliveryId,
          recordId: record.id,
          url: input.url,
          endpoint: WEBHOOK_ENDPOINTS[record.type],
          createdAt: nowMicroseconds(),
        });
        const made = delivery.attempts.find((attempt) => attempt.number === input.attempt);
        if (made !== undefined) return resultOf(made);

        const startedAt = nowMicroseconds();
        const outcome = await deps.webhooks.post(input.url, {
          headers: webhookHeaders({
            endpoint: delivery.endpoint,
            originalStatus: record.status === 'failed' ? originalStatusOf(record.failure) : 200,
            // Callers of speaker labels know the audio's id and no other.
            downloadId: audioIdOf(record),
          }),
          body: await bodyOf(record, deps.rendering),
          signal,
        });
        const attempt = { number: input.attempt, startedAt, ...attemptOf(outcome) };
        const result = resultOf(attempt);
        const over = input.isLast || result === 'forbidden';
        const state = result === 'delivered' ? 'delivered' : over ? 'abandoned' : 'pending';
        await deps.deliveries.recordAttempt(delivery.id, attempt, state);
        return result;
      }),
  };
}

/** Most characters of a body that are held; a longer one is sent as it is read, without a `Content-Length`. */
const HELD_BODY_CHARS = 1_000_000;

async function bodyOf(record: DownloadRecord, rendering: RenderContext): Promise<string | AsyncIterable<string>> {
  try {
    const chunks = jsonChunks(await renderResult(record, rendering));
    let held = '';
    for (;;) {
      const chunk = await chunks.next();
      if (chunk.done === true) return held;
      held += chunk.value;
      if (held.length > HELD_BODY_CHARS) return withHead(held, chunks);
    }
  } catch (error) {
    if (error instanceof MissingContentsError) throw ApplicationFailure.nonRetryable(error.message, 'ours');
    throw error;
  }
}

async function* withHead(head: string, rest: AsyncIterable<string>): AsyncGenerator<string> {
  yield head;
  yield* rest;
}

function attemptOf(outcome: PostOutcome): Pick<DeliveryAttempt, 'durationMs' | 'statusCode' | 'error'> {
  const durationMs = Math.round(outcome.durationMs);
  switch (outcome.kind) {
    case 'answered':
      return { durationMs, statusCode: outcome.statusCode };
    case 'forbidden':
      return { durationMs, error: 'forbidden' };
    case 'unreachable':
      return { durationMs, error: outcome.error };
  }
}

function resultOf(attempt: DeliveryAttempt): AttemptResult {
  if (attempt.error === 'forbidden') return 'forbidden';
  const status = attempt.statusCode ?? 0;
  return status >= 200 && status < 300 ? 'delivered' : 'refused';
}
