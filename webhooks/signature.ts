import { createHmac } from 'node:crypto';

/** What is sent: a text, or a way to write it out, which gives the same bytes each time. */
export type WebhookBody = string | (() => AsyncIterable<string>);

/**
 * The headers by which a receiver knows a message again and believes it.
 *
 * @param message its `id` is the same at each attempt
 * @throws what the body throws while it is read
 */
export type WebhookSigner = (message: {
  readonly id: string;
  readonly body: WebhookBody;
}) => Promise<Record<string, string>>;

const PREFIX = 'whsec_';
const SECRET_MIN_BYTES = 24;
const SECRET_MAX_BYTES = 64;

/** @returns the key of a secret in the form of Standard Webhooks; undefined for what is none */
export function parseWebhookSecret(text: string): Buffer | undefined {
  if (!text.startsWith(PREFIX)) return undefined;
  const base64 = text.slice(PREFIX.length);
  const key = Buffer.from(base64, 'base64');
  // Node's decoder skips what it does not know: a mistyped secret would become another one.
  const isExact = key.toString('base64').replace(/=+$/, '') === base64.replace(/=+$/, '');
  return isExact && key.length >= SECRET_MIN_BYTES && key.length <= SECRET_MAX_BYTES ? key : undefined;
}

/**
 * Signs by Standard Webhooks 1.0: HMAC-SHA256 over `id.timestamp.body`, one signature for each key. A list may have 40 MB,
 * so its body is read once for the signature and once more to be sent, and never held.
 *
 * @param keys several while secrets are exchanged; without any, messages have an id and no signature
 */
export function createWebhookSigner(keys: readonly Uint8Array[], now: () => number = Date.now): WebhookSigner {
  return async ({ id, body }) => {
    if (keys.length === 0) return { 'webhook-id': id };
    const timestamp = String(Math.floor(now() / 1000));
    const macs = keys.map((key) => createHmac('sha256', key).update(`${id}.${timestamp}.`));
    for await (const chunk of typeof body === 'string' ? [body] : body()) {
      for (const mac of macs) mac.update(chunk);
    }
    return {
      'webhook-id': id,
      'webhook-timestamp': timestamp,
      'webhook-signature': macs.map((mac) => `v1,${mac.digest('base64')}`).join(' '),
    };
  };
}
