import { receiverSecrets } from '../../outbound/webhooks/signature.ts';
import { UsageError } from './commands.ts';

/**
 * `npm run keys -- webhook-secret URL`: the secret to give to one receiver, instead of the one that signs for all.
 *
 * @param keys those of `WEBHOOK_SECRETS`
 * @returns one secret a line, in the order of the keys
 * @throws UsageError
 */
export function webhookSecret(keys: readonly Uint8Array[], url: string | undefined): string {
  const isUrl = url !== undefined && /^https?:\/\//i.test(url) && URL.canParse(url);
  if (!isUrl) throw new UsageError('webhook-secret: an address of the receiver, such as https://receiver.example');
  if (keys.length === 0) throw new UsageError('webhook-secret: WEBHOOK_SECRETS is not set, so no webhook is signed.');
  return receiverSecrets(keys, new URL(url)).join('\n');
}
