import type { BatchItemAnswer } from '../../../contract/batches/batch-answers.ts';
import { countText, priceText } from '../format-values.ts';
import { detailOf, titleOf } from '../pages/jobs-page.tsx';
import { pathTo } from '../router.ts';
import { Icon } from '../ui/icons.tsx';
import { List, type LoadedList } from '../ui/list.tsx';
import { TYPE_ICONS } from '../ui/parts.tsx';
import { ItemStatus } from './batch-parts.tsx';

interface ItemListProps {
  readonly list: LoadedList<BatchItemAnswer & { readonly batch_id?: string }>;
  readonly empty: string;
}

/** The items of a batch or of a subscription; those that have been started lead to their jobs. */
export function ItemList({ list, empty }: ItemListProps) {
  return (
    <List
      list={list}
      empty={<p class="quiet">{empty}</p>}
      more="Load more items"
      keyOf={({ batch_id: batchId = '', number }) => `${batchId} ${String(number)}`}
    >
      {(item) => <Item item={item} />}
    </List>
  );
}

function Item({ item }: { readonly item: BatchItemAnswer }) {
  const { record, request, failure, state, cost } = item;
  const subject = Object.values(request).find((value) => typeof value === 'string') ?? '';
  const row = (
    <>
      <span class="badge">
        <Icon name={record === null ? 'batch' : TYPE_ICONS[record.type]} />
      </span>
      <span class="job-what">
        <strong class="clip" dir="auto">
          {record === null ? subject : titleOf(record)}
        </strong>{' '}
        <span class="quiet clip" dir="auto">
          {record === null ? `Item ${countText(item.number + 1)}` : detailOf(record)}
        </span>
        {failure === null ? null : (
          <span class="bad clip" dir="auto">
            {failure.message}
          </span>
        )}
      </span>
      <span class="job-end">
        <ItemStatus state={state} />
        {Number(cost) === 0 ? null : <span class="price quiet">{priceText(cost)}</span>}
      </span>
    </>
  );
  return record === null ? (
    <span class="job-row">{row}</span>
  ) : (
    <a class="job-row" href={pathTo({ job: record.id })}>
      {row}
    </a>
  );
}
