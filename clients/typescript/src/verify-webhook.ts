import type { Webhooks } from './generated/types.gen.ts';

type EventOf<Webhook> = Webhook extends { readonly key: infer Endpoint; readonly body: infer Body }
  ? {
      /** The ID of the job. It comes from a header that is not signed. */
      readonly endpoint: Endpoint;
      readonly body: Body;
      /** The message ID, the same in each attempt and redelivery. */
      readonly id: string;
      readonly sentAt: Date;
    }
  : never;
/** A verified webhook message. */
export type WebhookEvent = EventOf<Webhooks>;

/** Thrown when the signature of a message is invalid or its time is out of tolerance. */
export class WebhookVerificationError extends Error {
  override readonly name = 'WebhookVerificationError';
}

export interface ReceivedWebhook {
  /** The secrets of the receiver, `whsec_…`; several during a rotation. */
  readonly secret: string | readonly string[];
  readonly headers: Headers | Readonly<Record<string, string | readonly string[] | undefined>>;
  /** The body exactly as received, not parsed and serialized again. */
  readonly body: string | Uint8Array;
  /** The permitted difference from the current time in seconds. Default: 300. */
  readonly toleranceSeconds?: number;
}

const PREFIX = 'whsec_';
const VERSION = 'v1,';

/** Verifies the signature and the time of a message by Standard Webhooks. @throws WebhookVerificationError */
export async function verifyWebhook(received: ReceivedWebhook): Promise<WebhookEvent> {
  const { secret, body, toleranceSeconds = 300 } = received;
  const [id, timestamp, signatures] = ['webhook-id', 'webhook-timestamp', 'webhook-signature'].map((name) =>
    headerOf(received, name),
  );
  if (id === undefined || timestamp === undefined || signatures === undefined) {
    throw new WebhookVerificationError('The message is not signed.');
  }
  const sentAt = new Date(Number(timestamp) * 1000);
  // This comparison also rejects NaN.
  if (!(Math.abs(Date.now() - sentAt.getTime()) <= toleranceSeconds * 1000)) {
    throw new WebhookVerificationError('The message is too old, or the clock is wrong.');
  }
  const signed = await new Blob([`${id}.${timestamp}.`, body as string | Uint8Array<ArrayBuffer>]).arrayBuffer();
  const given = signatures.split(' ').filter((one) => one.startsWith(VERSION));
  for (const one of typeof secret === 'string' ? [secret] : secret) {
    const key = await keyOf(one);
    for (const signature of given) {
      const bytes = bytesOf(signature.slice(VERSION.length));
      if (bytes !== undefined && (await crypto.subtle.verify('HMAC', key, bytes, signed))) {
        return eventOf(received, { id, sentAt });
      }
    }
  }
  throw new WebhookVerificationError('No signature of the message fits.');
}

function eventOf(received: ReceivedWebhook, facts: { readonly id: string; readonly sentAt: Date }): WebhookEvent {
  const { body } = received;
  const text = typeof body === 'string' ? body : new TextDecoder().decode(body);
  const endpoint = headerOf(received, 'x-webhook-endpoint');
  return { ...facts, endpoint, body: JSON.parse(text) as unknown } as WebhookEvent;
}

function headerOf({ headers }: ReceivedWebhook, name: string): string | undefined {
  if (headers instanceof Headers) return headers.get(name) ?? undefined;
  const [, value] = Object.entries(headers).find(([one]) => one.toLowerCase() === name) ?? [];
  return typeof value === 'string' || value === undefined ? value : value[0];
}

async function keyOf(secret: string) {
  const bytes = secret.startsWith(PREFIX) ? bytesOf(secret.slice(PREFIX.length)) : undefined;
  if (bytes === undefined || bytes.length === 0) throw new TypeError('A secret of webhooks begins with whsec_.');
  return crypto.subtle.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }, false, ['verify']);
}

function bytesOf(base64: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
  } catch {
    return undefined;
  }
}
