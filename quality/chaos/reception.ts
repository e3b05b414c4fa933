import { Webhook } from 'standardwebhooks';
import type { ReceivedPost } from '../../local/webhook-receiver.ts';

/** A webhook as it arrived. */
export type Reception = Readonly<ReturnType<typeof receptionOf>>;

/** How far a webhook's time may be from that of its arrival, as the official library has it. */
const TOLERANCE_MS = 5 * 60_000;

/** @param secret with which it must be signed */
export function receptionOf({ path, headers, body, at }: ReceivedPost, secret: string) {
  const webhookId = headers['webhook-id'] ?? '';
  const sent = new Date(Number(headers['webhook-timestamp']) * 1000);
  const isSigned =
    Math.abs(at - sent.getTime()) <= TOLERANCE_MS &&
    // There is one signature for each secret.
    (headers['webhook-signature'] ?? '').split(' ').includes(new Webhook(secret).sign(webhookId, sent, body));
  // The last segment of the URL: which call it was promised to.
  const callId = path.split('/').at(-1) ?? '';
  return { callId, webhookId, headers, body, isSigned };
}
