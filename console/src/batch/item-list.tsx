import type { BatchItemAnswer } from '../../../contract/batches/batch-answers.ts';
import { countText, priceText } from '../format-values.ts';
import { detailOf, titleOf } from '../pages/jobs-page.tsx';
import { pathTo } from '../router.ts';
import { List, Row, type LoadedList } from '../ui/list.tsx';
import { StatusMark } from '../ui/parts.tsx';
import { ITEM_STATE_NAMES, TYPES } from '../words.ts';

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
  return (
    <Row
      {...(record !== null && { href: pathTo('job', { id: record.id }) })}
      icon={record === null ? 'batch' : TYPES[record.type].icon}
      title={record === null ? subject : titleOf(record)}
      detail={record === null ? `Item ${countText(item.number + 1)}` : detailOf(record)}
      failure={failure?.message}
      end={
        <>
          <StatusMark status={state}>{ITEM_STATE_NAMES[state]}</StatusMark>
          {Number(cost) === 0 ? null : <span class="price quiet">{priceText(cost)}</span>}
        </>
      }
    />
  );
}
