import type { BlockList } from 'node:net';
import { ApiError } from '../../contract/errors.ts';
import { checkTarget } from '../../outbound/targets.ts';
import type { ApiDeps } from '../deps.ts';

/** Refuses what can be refused by its text alone; names are judged when they are resolved, at each request. */
export function assertWebhookTarget(url: string, path: string, allowedNetworks: BlockList): void {
  const verdict = checkTarget(url, allowedNetworks);
  if (!verdict.ok) {
    throw new ApiError('webhook_target_forbidden', verdict.reason, { details: [{ path, message: verdict.reason }] });
  }
}

/** The webhook of a request as a job takes it. @throws ApiError `webhook_target_forbidden` */
export function webhookOf(
  deps: ApiDeps,
  { include_webhook: webhookUrl }: { readonly include_webhook?: string | undefined },
): { readonly webhookUrl?: string } {
  if (webhookUrl === undefined) return {};
  assertWebhookTarget(webhookUrl, 'include_webhook', deps.webhookAllowedNetworks);
  return { webhookUrl };
}
