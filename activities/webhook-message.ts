import { webhookIdOf } from '../contract/http/delivery-schemas.ts';
import { renderBatch } from '../contract/batches/batch-answers.ts';
import { renderSubscription } from '../contract/subscriptions/subscription-request.ts';
import type { StoredSubscription } from '../contract/subscriptions/subscription-state.ts';
import type { StoredBatch } from '../contract/batches/batch-state.ts';
import { originalStatusOf } from '../contract/failures.ts';
import type { DownloadRecord, PendingRecord } from '../contract/download-record.ts';
import type { RenderContext } from '../contract/kinds/kind.ts';
import { renderResult } from '../contract/kinds/kinds.ts';
import { audioIdOf } from '../contract/kinds/speaker-labels.ts';
import { jsonChunks } from '../contract/http/streams.ts';
import { type Delivery } from '../contract/http/webhook-delivery.ts';
import { webhookHeaders } from '../contract/http/webhook-headers.ts';
import type { LongBody } from '../outbound/webhooks/webhook-client.ts';
import type { WebhookBody, WebhookSigner } from '../outbound/webhooks/webhook-signature.ts';

/** A longer body is not kept in memory: it is generated once for its length and again while it is sent. */
const HELD_BODY_BYTES = 1_000_000;

/** The subject of a webhook: the record of a job, a batch, or a subscription that was paused. */
export type EndedWork = Exclude<DownloadRecord, PendingRecord> | StoredBatch | StoredSubscription;

export interface MessageDeps {
  readonly rendering: RenderContext;
  readonly signWebhook: WebhookSigner;
  /** The headers that propagate the trace to the receiver. */
  readonly traceHeaders?: (() => Readonly<Record<string, string>>) | undefined;
}

/**
 * Builds the request of an attempt. It is built for each attempt, so that its links are fresh.
 *
 * @throws MissingContentsError, also while the body is read
 */
export async function webhookMessage(
  delivery: Delivery,
  ended: EndedWork,
  { rendering, signWebhook, traceHeaders }: MessageDeps,
): Promise<{ headers: Record<string, string>; body: string | LongBody }> {
  const body = await bodyOf(ended, rendering);
  const headers = {
    ...webhookHeaders({
      endpoint: delivery.endpoint,
      originalStatus: 'failure' in ended ? originalStatusOf(ended.failure) : 200,
      // Callers of speaker labels know only the ID of the audio.
      downloadId: 'type' in ended ? audioIdOf(ended) : ended.id,
    }),
    ...traceHeaders?.(),
    ...(await signWebhook({ id: webhookIdOf(delivery.id), url: delivery.url, body })),
  };
  return { headers, body: typeof body === 'string' ? body : { bytes: await bytesOf(body()), chunks: body() } };
}

async function bytesOf(chunks: LongBody['chunks']): Promise<number> {
  let bytes = 0;
  for await (const chunk of chunks) bytes += Buffer.byteLength(chunk);
  return bytes;
}

async function bodyOf(record: EndedWork, rendering: RenderContext): Promise<WebhookBody> {
  if ('counts' in record) return JSON.stringify(renderBatch(record, rendering));
  if ('everyMinutes' in record) return JSON.stringify(renderSubscription(record, Date.now()));
  // Links are signed once here, and stored lists do not change, so each iteration generates the same text.
  const result = await renderResult(record, rendering);
  const held: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of jsonChunks(result)) {
    held.push(Buffer.from(chunk));
    bytes += Buffer.byteLength(chunk);
    if (bytes > HELD_BODY_BYTES) return () => jsonChunks(result);
  }
  return Buffer.concat(held).toString('utf8');
}
