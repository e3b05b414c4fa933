import { useEffect, useRef, useState } from 'preact/hooks';
import type { BatchAnswer, BatchItemAnswer, BatchItemsAnswer } from '../../../contract/batches/batch-answers.ts';
import {
  BatchBar,
  BatchStatus,
  batchTitle,
  costText,
  countsText,
  isBatchEnded,
  ItemStatus,
  type ItemState,
} from '../batch/batch-parts.tsx';
import { call, read, type Problem } from '../console-api.ts';
import { agoText, countText, momentText, priceText, spanText } from '../format-values.ts';
import { LiveMark } from '../job/progress.tsx';
import { watchBatch, type Connection } from '../live-jobs.ts';
import { navigate, pathTo } from '../router.ts';
import { Button } from '../ui/controls.tsx';
import { useAction, useLoaded, useNow } from '../ui/hooks.ts';
import { Icon } from '../ui/icons.tsx';
import { Card, ConfirmButton, ErrorNotice, Facts, Loading, Notice, Title, TYPE_ICONS } from '../ui/parts.tsx';
import { ITEM_STATE_NAMES } from '../words.ts';
import { detailOf, titleOf } from './jobs-page.tsx';

const PAGE_ITEMS = 50;
/** Items are loaded again at most this often while they change. */
const REFRESH_MS = 2_000;

export function Batch({ id, query }: { readonly id: string; readonly query: URLSearchParams }) {
  const [batch, setBatch] = useState<BatchAnswer>();
  const [connection, setConnection] = useState<Connection>('connecting');
  const [problem, setProblem] = useState<Problem>();
  const [round, setRound] = useState(0);
  useEffect(
    () => watchBatch(id, { onConnection: setConnection, onProblem: setProblem, onBatch: setBatch }),
    [id, round],
  );
  if (batch === undefined) {
    return (
      <>
        <Title>Batch</Title>
        {problem === undefined ? <Loading /> : <ErrorNotice thrown={problem} />}
      </>
    );
  }
  const change = async (what: 'cancel' | 'resume' | 'retry'): Promise<void> => {
    setBatch(await call<BatchAnswer>('POST', `${batch.url}/${what}`, { body: {} }));
    // The stream of a batch that had ended is closed.
    if (isBatchEnded(batch)) setRound(round + 1);
  };
  return (
    <>
      <Head batch={batch} change={change} />
      <ErrorNotice thrown={problem} />
      <Progress batch={batch} connection={connection} change={change} />
      <Items batch={batch} query={query} />
      <Card title="About this batch">
        <Facts
          facts={[
            ['Id', <code>{batch.id}</code>],
            ['Started', momentText(batch.created_at)],
            ['Finished', batch.finished_at === null ? null : momentText(batch.finished_at)],
            ['Limit of the cost', batch.max_cost],
          ]}
        />
      </Card>
    </>
  );
}

interface Changing {
  readonly batch: BatchAnswer;
  readonly change: (what: 'cancel' | 'resume' | 'retry') => Promise<void>;
}

function Head({ batch, change }: Changing) {
  const now = useNow(30_000);
  const { isRunning, thrown, run } = useAction();
  const isOver = isBatchEnded(batch);
  return (
    <header class="job-head">
      <span class="badge">
        <Icon name="batch" size={24} />
      </span>
      <div class="grow">
        <Title>{batchTitle(batch)}</Title>
        <p class="line">
          <BatchStatus status={batch.status} />
          <time dateTime={batch.created_at} title={momentText(batch.created_at)}>
            {agoText(batch.created_at, now)}
          </time>
          <span class="price">{costText(batch)}</span>
        </p>
        <ErrorNotice thrown={thrown} />
      </div>
      <div class="actions">
        {batch.counts.success === 0 ? null : (
          <a class={`button ${isOver ? 'button-main' : ''}`} href={batch.archive_url} download="">
            <Icon name="down" /> Archive
          </a>
        )}
        {isOver && batch.counts.failed > 0 ? (
          <Button disabled={isRunning} onClick={() => run(() => change('retry'))}>
            <Icon name="retry" /> Retry {countText(batch.counts.failed)} failed
          </Button>
        ) : null}
        {isOver || batch.status === 'cancelling' ? null : (
          <ConfirmButton question="Stop this batch?" onYes={() => run(() => change('cancel'))}>
            <Icon name="stop" /> Cancel
          </ConfirmButton>
        )}
      </div>
    </header>
  );
}

function Progress({ batch, connection, change }: Changing & { readonly connection: Connection }) {
  const { isRunning, thrown, run } = useAction();
  const { items, counts, pause, items_per_minute: rate, seconds_left: seconds } = batch;
  const ended = items - counts.waiting - counts.running;
  return (
    <Card
      title={`${countText(ended)} of ${countText(items)}`}
      end={isBatchEnded(batch) ? undefined : <LiveMark connection={connection} />}
    >
      <BatchBar {...batch} />
      <p class="numbers">
        <span>{countsText(counts)}</span>
        {rate === null ? null : <span>{countText(rate)} a minute</span>}
        {seconds === null ? null : <span>{spanText(seconds)} to go</span>}
      </p>
      {pause === null ? null : (
        <Notice icon="clock">
          <p>{pause.message}</p>
          <p>
            <Button disabled={isRunning} onClick={() => run(() => change('resume'))}>
              Resume
            </Button>
          </p>
          <ErrorNotice thrown={thrown} />
        </Notice>
      )}
    </Card>
  );
}

function Items({ batch, query }: { readonly batch: BatchAnswer; readonly query: URLSearchParams }) {
  const state = query.get('state') ?? '';
  const [shown, setShown] = useState(PAGE_ITEMS);
  const counts = useRef('');
  counts.current = JSON.stringify(batch.counts);
  const [due, setDue] = useState(counts.current);
  useEffect(() => {
    const timer = setInterval(() => setDue(counts.current), REFRESH_MS);
    return () => clearInterval(timer);
  }, []);
  const { value, thrown } = useLoaded(
    (signal) => firstItems(batch, { state, most: shown, signal }),
    [state, shown, due],
  );
  return (
    <section aria-labelledby="items">
      <div class="heading">
        <h2 id="items">Items</h2>
        <label class="field">
          <span>State</span>
          <select
            value={state}
            onChange={({ currentTarget }) =>
              navigate(pathTo({ batch: batch.id }, { state: currentTarget.value }), { isReplaced: true })
            }
          >
            <option value="">All</option>
            {(Object.keys(ITEM_STATE_NAMES) as ItemState[]).map((one) => (
              <option key={one} value={one}>
                {ITEM_STATE_NAMES[one]} ({countText(batch.counts[one])})
              </option>
            ))}
          </select>
        </label>
      </div>
      <ErrorNotice thrown={thrown} />
      {value === undefined && thrown === undefined ? <Loading what="Loading the items" /> : null}
      {value?.items.length === 0 ? <p class="quiet">No item is in this state.</p> : null}
      <ul class="jobs">
        {(value?.items ?? []).map((item) => (
          <li key={item.number}>
            <Item item={item} />
          </li>
        ))}
      </ul>
      {value?.isMore === true ? (
        <p class="center">
          <Button onClick={() => setShown(shown + PAGE_ITEMS)}>Load more items</Button>
        </p>
      ) : null}
    </section>
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

interface Wanted {
  readonly state: string;
  readonly most: number;
  readonly signal: AbortSignal;
}

async function firstItems({ url }: BatchAnswer, { state, most, signal }: Wanted) {
  const items: BatchItemAnswer[] = [];
  let cursor: number | null = 0;
  while (cursor !== null && items.length < most) {
    const query = new URLSearchParams({
      limit: String(PAGE_ITEMS),
      cursor: String(cursor),
      ...(state !== '' && { state }),
    });
    const page: BatchItemsAnswer = await read<BatchItemsAnswer>(`${url}/items?${query.toString()}`, signal);
    items.push(...page.items);
    cursor = page.next_cursor;
  }
  return { items, isMore: cursor !== null };
}
