import { useMemo, useRef, useState } from 'preact/hooks';
import { countText, dateText } from '../format-values.ts';
import { SearchField } from '../ui/controls.tsx';
import { useIsNarrow } from '../ui/hooks.ts';
import type { IconName } from '../ui/icons.tsx';
import { Picture } from '../ui/pictures.tsx';
import { useVirtual } from '../ui/virtual.ts';
import { FetchSelected } from './fetch-selected.tsx';
import { arranged, keysOf, type Column, type Order, type Row } from './rows.ts';

const ROW_HEIGHT = 64;
const NARROW_ROW_HEIGHT = 84;

interface TableProps {
  readonly rows: readonly Row[];
  readonly columns: readonly Column[];
  readonly label: string;
  readonly icon: IconName;
}

/** A table with sorting, search and selection. Only visible rows are rendered, so it can be of any length. */
export function RowTable({ rows, columns, label, icon }: TableProps) {
  const [order, setOrder] = useState<Order>({ by: 'published', isDescending: true });
  const [sought, setSought] = useState('');
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const keys = useMemo(() => keysOf(rows), [rows]);
  const shown = useMemo(() => arranged(rows, keys, { order, sought }), [rows, keys, order, sought]);
  const choose = (some: readonly Row[], isChosen: boolean): void => {
    const next = new Set(chosen);
    for (const { id } of some) {
      if (isChosen) next.add(id);
      else next.delete(id);
    }
    setChosen(next);
  };
  const isAll = shown.length > 0 && shown.every(({ id }) => chosen.has(id));
  const scroller = useRef<HTMLDivElement>(null);
  const isNarrow = useIsNarrow();
  const rowHeight = isNarrow ? NARROW_ROW_HEIGHT : ROW_HEIGHT;
  const virtual = useVirtual({ count: shown.length, rowHeight, scroller });
  if (rows.length === 0) return <p>There are none.</p>;
  const heads = [{ name: 'title', label: 'Title' }, { name: 'published', label: 'Published' }, ...columns];
  const widths = `2.5rem 96px minmax(0, 1fr) 7rem ${columns.map(() => '5.5rem').join(' ')}`;
  const style = isNarrow ? {} : { gridTemplateColumns: widths };
  return (
    <>
      <div class="row">
        <SearchField label="Filter by title" value={sought} onText={setSought} />
        <p role="status" class="quiet count">
          {shown.length === rows.length
            ? countText(rows.length)
            : `${countText(shown.length)} of ${countText(rows.length)}`}
          {chosen.size === 0 ? '' : `, ${countText(chosen.size)} chosen`}
        </p>
      </div>
      <FetchSelected rows={rows.filter(({ id }) => chosen.has(id))} />
      <div role="table" class="table" aria-label={label} aria-rowcount={shown.length + 1}>
        <div role="rowgroup">
          <div role="row" class="table-head" aria-rowindex={1} style={style}>
            <span role="columnheader" class="choose">
              <input
                type="checkbox"
                aria-label="Choose all that are shown"
                checked={isAll}
                onChange={(event) => choose(shown, event.currentTarget.checked)}
              />
            </span>
            <span role="columnheader" class="no-phone">
              <span class="unseen">Picture</span>
            </span>
            {heads.map((head) => (
              <span
                key={head.name}
                role="columnheader"
                class={columns.some(({ name }) => name === head.name) ? 'number' : ''}
                aria-sort={order.by !== head.name ? 'none' : order.isDescending ? 'descending' : 'ascending'}
              >
                <button
                  type="button"
                  class="sort"
                  onClick={() =>
                    setOrder({
                      by: head.name,
                      isDescending: order.by === head.name ? !order.isDescending : head.name !== 'title',
                    })
                  }
                >
                  {head.label}
                  <span aria-hidden="true">{order.by !== head.name ? '' : order.isDescending ? ' ↓' : ' ↑'}</span>
                </button>
              </span>
            ))}
          </div>
        </div>
        <div role="rowgroup" class="table-rows" ref={scroller} tabIndex={0} aria-label={`Rows of ${label}`}>
          <div role="presentation" class="table-space" style={{ height: `${virtual.getTotalSize().toString()}px` }}>
            {virtual.getVirtualItems().map(({ index, start }) => {
              const row = shown[index];
              return row === undefined ? null : (
                <div
                  key={row.id}
                  role="row"
                  class={chosen.has(row.id) ? 'table-row chosen' : 'table-row'}
                  aria-rowindex={index + 2}
                  style={{
                    ...style,
                    height: `${rowHeight.toString()}px`,
                    transform: `translateY(${start.toString()}px)`,
                  }}
                >
                  <span role="cell" class="choose">
                    <input
                      type="checkbox"
                      aria-label={`Choose ${row.title}`}
                      checked={chosen.has(row.id)}
                      onChange={(event) => choose([row], event.currentTarget.checked)}
                    />
                  </span>
                  <span role="cell">
                    <Picture url={row.thumbnail} label="" icon={icon} className="thumbnail" />
                  </span>
                  <span role="cell" class="row-title" dir="auto" title={row.title}>
                    {row.title}
                  </span>
                  <span role="cell" class="quiet">
                    {row.publishedMs === null ? '' : dateText(new Date(row.publishedMs).toISOString())}
                  </span>
                  {columns.map(({ name, textOf }) => {
                    const value = row.numbers[name] ?? null;
                    return (
                      <span key={name} role="cell" class="number">
                        {value === null ? '' : textOf(value)}
                      </span>
                    );
                  })}
                </div>
              );
            })}
          </div>
        </div>
      </div>
    </>
  );
}
