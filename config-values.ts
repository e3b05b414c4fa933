import { BlockList, isIP } from 'node:net';
import { list } from './runtime/setting-types.ts';
import { parseWebhookSecret } from './outbound/webhooks/webhook-signature.ts';

/** A setting is missing or wrong; the message names it. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}

/** Networks in CIDR notation. */
export const networks = list.default([]).transform((entries, context) => {
  const found = new BlockList();
  for (const entry of entries) {
    const [address = '', prefix] = entry.split('/');
    const family = isIP(address);
    const bits = Number(prefix);
    if (family === 0 || !/^\d{1,3}$/.test(prefix ?? '') || bits > (family === 4 ? 32 : 128)) {
      context.addIssue(`${JSON.stringify(entry)} is no network such as 127.0.0.0/8`);
    } else found.addSubnet(address, bits, family === 4 ? 'ipv4' : 'ipv6');
  }
  return found;
});

/** The keys of secrets of webhooks. */
export const webhookKeys = list.default([]).transform((entries, context) =>
  entries.flatMap((entry, index): readonly Uint8Array[] => {
    const key = parseWebhookSecret(entry);
    if (key !== undefined) return [key];
    // The message names the position and not the secret, because it may reach logs.
    context.addIssue(`number ${String(index + 1)} is not whsec_ and the base64 of 24 to 64 bytes`);
    return [];
  }),
);

export function isOrigin(text: string): boolean {
  return URL.canParse(text) && new URL(text).origin === text;
}

export function trimSlash(text: string): string {
  return text.replace(/(?<!\/)\/+$/, '');
}
