import type { UpstreamUse } from './pacing.ts';

/** What a worker may do: each has task queues of its own. */
export const workerRoles = ['workflows', 'vidnet', 'imgnet', 'media', 'speech', 'webhooks'] as const;
export type WorkerRole = (typeof workerRoles)[number];

/** @returns whose work a use of an upstream is */
export function roleOf(use: UpstreamUse): WorkerRole {
  if (use.startsWith('site/')) return 'media';
  return use.startsWith('vidnet-') ? 'vidnet' : 'imgnet';
}
