import type { Caller } from '../../contract/accounts.ts';
import { WITHOUT_KEY, type Delivery } from '../../contract/webhooks.ts';
import type { ApiDeps } from '../deps.ts';

/** @returns how jobs and webhooks tell who has asked for them: the id of a key, `service`, or {@link WITHOUT_KEY} */
export function subscriberOf(caller: Caller): string {
  switch (caller.kind) {
    case 'key':
      return caller.key.id;
    case 'service':
      return 'service';
    case 'anonymous':
      return WITHOUT_KEY;
  }
}

/**
 * Whether a delivery is the caller's to see and to repeat. Jobs are shared, but who is told of their end, and whether that
 * worked, concerns only who asked for it. Services of ours see everything.
 */
export async function isOwn({ caller, asked }: ApiDeps, delivery: Delivery): Promise<boolean> {
  if (caller.kind === 'service') return true;
  if (delivery.subscribedBy !== undefined) return delivery.subscribedBy.includes(subscriberOf(caller));
  // It was begun before subscribers were noted.
  return caller.kind !== 'key' || asked.has(caller.key.id, delivery.recordId);
}
