import { BlockList, isIP } from 'node:net';
import { parseWebhookSecret } from './outbound/webhooks/signature.ts';

/** A setting is missing or wrong; the message names it. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}

/** @param setting whose name the error tells */
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

/** @returns the keys of secrets that stand in `WEBHOOK_SECRETS` */
export function parseSecrets(text: string): readonly Uint8Array[] {
  return entriesOf(text).map((entry, index) => {
    const key = parseWebhookSecret(entry);
    // Its place and not itself: messages of this kind end up in logs.
    if (key === undefined) {
      throw new ConfigError(
        `WEBHOOK_SECRETS: number ${String(index + 1)} is not whsec_ and the base64 of 24 to 64 bytes`,
      );
    }
    return key;
  });
}

/** @returns the entries of a list with commas between, without the empty ones */
export function entriesOf(text: string): readonly string[] {
  return text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');
}

export function trimSlash(text: string): string {
  return text.replace(/\/+$/, '');
}
