import type { BlockList } from 'node:net';
import { ApiError } from '../../contract/errors.ts';
import { checkTarget } from '../../webhooks/targets.ts';

/** Refuses what can be refused by its text alone; names are judged when they are resolved, at each request. */
export function assertWebhookTarget(url: string, path: string, allowedNetworks: BlockList): void {
  const verdict = checkTarget(url, allowedNetworks);
  if (!verdict.ok) {
    throw new ApiError('webhook_target_forbidden', verdict.reason, { details: [{ path, message: verdict.reason }] });
  }
}
