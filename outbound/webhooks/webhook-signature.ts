import { createHmac } from 'node:crypto';

/** The body of a message: a text, or a function that generates the same bytes on each call. */
export type WebhookBody = string | (() => AsyncIterable<string | Uint8Array>);

/**
 * Creates the headers with which a receiver identifies and verifies a message, whose `id` is the same in each attempt.
 * @throws errors of the body while it is read
 */
export type WebhookSigner = (message: {
  readonly id: string;
  readonly url: string;
  readonly body: WebhookBody;
}) => Promise<Record<string, string>>;

const PREFIX = 'whsec_';
const SECRET_MIN_BYTES = 24;
const SECRET_MAX_BYTES = 64;

/** @returns the key of a secret in the format of Standard Webhooks; undefined if the secret is invalid */
export function parseWebhookSecret(text: string): Buffer | undefined {
  if (!text.startsWith(PREFIX)) return undefined;
  const base64 = text.slice(PREFIX.length);
  const key = Buffer.from(base64, 'base64');
  // Node's decoder skips invalid characters, so a mistyped secret would become a different key.
  const isExact = key.toString('base64').replace(/(?<!=)=+$/, '') === base64.replace(/(?<!=)=+$/, '');
  return isExact && key.length >= SECRET_MIN_BYTES && key.length <= SECRET_MAX_BYTES ? key : undefined;
}

/** The key of one receiver, which neither signs nor verifies messages to others. @param audience its `URL.origin` */
function receiverKey(key: Uint8Array, audience: string): Buffer {
  return createHmac('sha256', key).update(`webhook-audience:${audience}`).digest();
}

/** @returns a receiver's secrets in the format of Standard Webhooks, one for each key; `url` is any URL of the receiver */
export function receiverSecrets(keys: readonly Uint8Array[], url: URL): readonly string[] {
  return keys.map((key) => PREFIX + receiverKey(key, url.origin).toString('base64'));
}

/**
 * Signs according to Standard Webhooks 1.0: HMAC-SHA256 over `id.timestamp.body`, with two signatures for each key: one with the key
 * itself, for internal receivers, and one with the receiver's key. A list may have 40 MB, so its body is read once for the signatures and
 * once more to be sent, and never held in memory.
 *
 * @param keys several during a rotation of secrets; without keys, messages have an ID and no signature
 */
export function createWebhookSigner(keys: readonly Uint8Array[], now: () => number = Date.now): WebhookSigner {
  return async ({ id, url, body }) => {
    if (keys.length === 0) return { 'webhook-id': id };
    const timestamp = String(Math.floor(now() / 1000));
    // The guard refuses invalid URLs with a reason.
    const audience = URL.canParse(url) ? new URL(url).origin : '';
    const macs = keys
      .flatMap((key) => [key, receiverKey(key, audience)])
      .map((key) => createHmac('sha256', key).update(`${id}.${timestamp}.`));
    for await (const chunk of typeof body === 'string' ? [body] : body()) {
      for (const mac of macs) mac.update(chunk);
    }
    return {
      'webhook-id': id,
      'webhook-timestamp': timestamp,
      'webhook-audience': audience,
      'webhook-signature': macs.map((mac) => `v1,${mac.digest('base64')}`).join(' '),
    };
  };
}
