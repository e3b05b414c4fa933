import {
  deliveryIdFrom,
  renderDelivery,
  type DeliveryListQuery,
  type DeliveryList,
} from '../../contract/deliveries.ts';
import type { Delivery } from '../../contract/webhooks.ts';
import type { Answer } from '../answer.ts';
import type { ApiDeps } from '../deps.ts';
import { isOwn, subscriberOf } from './own-deliveries.ts';

/**
 * GET /api/webhook/deliveries: the caller's deliveries that match all filters, those of the newest downloads first, a page
 * at a time.
 */
export async function listDeliveries(deps: ApiDeps, query: DeliveryListQuery): Promise<Answer<DeliveryList>> {
  // One more than shown tells whether a page follows.
  const deliveries = await find(deps, { ...query, limit: query.limit + 1 });
  const shown = deliveries.slice(0, query.limit).map(renderDelivery);
  const last = deliveries.length > query.limit ? shown.at(-1) : undefined;
  return { state: 'finished', body: { deliveries: shown, next_cursor: last?.id ?? null } };
}

async function find(
  deps: ApiDeps,
  { download_id: recordId, state, cursor, limit }: DeliveryListQuery,
): Promise<readonly Delivery[]> {
  const before = cursor === undefined ? undefined : deliveryIdFrom(cursor);
  if (recordId === undefined) {
    const subscribedBy = deps.caller.kind === 'service' ? undefined : subscriberOf(deps.caller);
    return deps.deliveries.list({ subscribedBy, state, before, limit });
  }
  const all = await deps.deliveries.ofRecord(recordId);
  const areOwn = await Promise.all(all.map((delivery) => isOwn(deps, delivery)));
  // Looked up by their ids, which the embedded server does fast; in the order in which a scan gives them.
  return all
    .filter((_delivery, index) => areOwn[index])
    .filter((delivery) => (state === undefined || delivery.state === state) && !(before && delivery.id >= before))
    .sort((a, b) => (a.id < b.id ? 1 : -1))
    .slice(0, limit);
}
