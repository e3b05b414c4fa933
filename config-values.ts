import { BlockList, isIP } from 'node:net';
import type { PayloadKeys } from './runtime/temporal/payload-codec.ts';
import { parseWebhookSecret } from './outbound/webhooks/webhook-signature.ts';

/** A setting is missing or wrong; the message names it. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}

/** @param setting the name for the error message */
export function parseNetworks(setting: string, text: string): BlockList {
  const networks = new BlockList();
  for (const entry of entriesOf(text)) {
    const [address = '', prefix] = entry.split('/');
    const family = isIP(address);
    const bits = Number(prefix);
    if (family === 0 || !/^\d{1,3}$/.test(prefix ?? '') || bits > (family === 4 ? 32 : 128)) {
      throw new ConfigError(`${setting}: ${JSON.stringify(entry)} is no network such as 127.0.0.0/8`);
    }
    networks.addSubnet(address, bits, family === 4 ? 'ipv4' : 'ipv6');
  }
  return networks;
}

/** @returns the keys of the secrets in `WEBHOOK_SECRETS` */
export function parseSecrets(text: string): readonly Uint8Array[] {
  return entriesOf(text).map((entry, index) => {
    const key = parseWebhookSecret(entry);
    // The message names the position and not the secret, because it may reach logs.
    if (key === undefined) {
      throw new ConfigError(
        `WEBHOOK_SECRETS: number ${String(index + 1)} is not whsec_ and the base64 of 24 to 64 bytes`,
      );
    }
    return key;
  });
}

const IN_CLEAR = 'plain';

/** @returns the keys in `PAYLOAD_KEYS`; undefined if it is empty and payloads are not encrypted */
export function parsePayloadKeys(text: string): PayloadKeys | undefined {
  const entries = entriesOf(text);
  if (entries.length === 0) return undefined;
  const all = entries.flatMap((entry, index) => {
    if (index === 0 && entry === IN_CLEAR) return [];
    const [, id = '', base64 = ''] = /^([\w.-]{1,60}):([A-Za-z0-9+/]{43}=)$/.exec(entry) ?? [];
    // The message names the position and not the key, because it may reach logs.
    if (id === '')
      throw new ConfigError(`PAYLOAD_KEYS: number ${String(index + 1)} is not a name, : and the base64 of 32 bytes`);
    return { id, key: Buffer.from(base64, 'base64') };
  });
  if (new Set(all.map(({ id }) => id)).size < all.length) throw new ConfigError('PAYLOAD_KEYS: two have the same name');
  return { current: entries[0] === IN_CLEAR ? undefined : all[0], all };
}

/** @returns the entries of a comma-separated list, without empty ones */
export function entriesOf(text: string): readonly string[] {
  return text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');
}

export function isOrigin(text: string): boolean {
  return URL.canParse(text) && new URL(text).origin === text;
}

export function trimSlash(text: string): string {
  return text.replace(/(?<!\/)\/+$/, '');
}
