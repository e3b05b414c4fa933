import type { BatchAnswer } from '../../../contract/batches/batch-answers.ts';
import { countText, priceText } from '../format-values.ts';
import { StatusMark } from '../ui/parts.tsx';
import { BATCH_STATUS_NAMES, ITEM_STATE_NAMES } from '../words.ts';

type Counts = BatchAnswer['counts'];
export type ItemState = keyof Counts;

export const isBatchEnded = ({ status }: Pick<BatchAnswer, 'status'>): boolean =>
  status === 'finished' || status === 'cancelled' || status === 'failed';

export const batchTitle = ({ name, items }: BatchAnswer): string =>
  name ?? (items === 1 ? 'Batch of one item' : `Batch of ${countText(items)} items`);

export function BatchStatus({ status }: { readonly status: BatchAnswer['status'] }) {
  return <StatusMark status={status}>{BATCH_STATUS_NAMES[status]}</StatusMark>;
}

export function countsText(counts: Counts): string {
  const states = Object.keys(ITEM_STATE_NAMES) as ItemState[];
  return states
    .filter((state) => counts[state] > 0)
    .map((state) => `${countText(counts[state])} ${ITEM_STATE_NAMES[state].toLowerCase()}`)
    .join(', ');
}

export function BatchBar({ items, counts }: Pick<BatchAnswer, 'items' | 'counts'>) {
  return <progress aria-label="Items that have ended" max={items} value={items - counts.waiting - counts.running} />;
}

export function costText({ cost, cost_at_most: atMost }: BatchAnswer): string {
  return Number(atMost) > Number(cost) ? `${priceText(cost)} of at most ${atMost}` : priceText(cost);
}
