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
  /** Where it goes. */
  readonly url: string;
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
  const isExact = key.toString('base64').replace(/(?<!=)=+$/, '') === base64.replace(/(?<!=)=+$/, '');
  return isExact && key.length >= SECRET_MIN_BYTES && key.length <= SECRET_MAX_BYTES ? key : undefined;
}

/**
 * The key that one receiver and nobody else is told. What another receiver was sent does not fit it, and whoever has it can
 * sign for no other.
 *
 * @param audience the receiver's origin, as `URL.origin` writes it: `https://host` or `https://host:port`
 */
function receiverKey(key: Uint8Array, audience: string): Buffer {
  return createHmac('sha256', key).update(`webhook-audience:${audience}`).digest();
}

/** @returns a receiver's own secrets in the form of Standard Webhooks, one for each key; `url` is any of the receiver's */
export function receiverSecrets(keys: readonly Uint8Array[], url: URL): readonly string[] {
  return keys.map((key) => PREFIX + receiverKey(key, url.origin).toString('base64'));
}

/**
 * Signs by Standard Webhooks 1.0: HMAC-SHA256 over `id.timestamp.body`, two signatures for each key: by itself, for receivers of
 * our own, and by the receiver's. A list may have 40 MB, so its body is read once for the signatures and once more to be
 * sent, and never held.
 *
 * @param keys several while secrets are exchanged; without any, messages have an id and no signature
 */
export function createWebhookSigner(keys: readonly Uint8Array[], now: () => number = Date.now): WebhookSigner {
  return async ({ id, url, body }) => {
    if (keys.length === 0) return { 'webhook-id': id };
    const timestamp = String(Math.floor(now() / 1000));
    // What is no URL is refused by the guard, which says why.
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
