import { useCallback, useRef, useState } from 'preact/hooks';
import type { BatchAnswer, BatchItemAnswer } from '../../../contract/batches/batch-answers.ts';
import { BatchBar, BatchStatus, batchTitle, costText, countsText, isBatchEnded } from '../batch/batch-parts.tsx';
import type { ItemState } from '../batch/batch-parts.tsx';
import { FeedCard } from '../batch/feed-card.tsx';
import { ItemList } from '../batch/item-list.tsx';
import { call } from '../console-api.ts';
import { countText, momentText, spanText } from '../format-values.ts';
import { LiveMark } from '../job/progress.tsx';
import { useWatched, watchBatch, type Connection } from '../live-jobs.ts';
import { navigate, pathTo } from '../router.ts';
import { Button, Select } from '../ui/controls.tsx';
import { useAction, useEvery } from '../ui/hooks.ts';
import { Icon } from '../ui/icons.tsx';
import { useList } from '../ui/list.tsx';
import { Ago, Card, ConfirmButton, ErrorNotice, Facts, Notice, Numbers } from '../ui/parts.tsx';
import { Opening, PageHead } from '../ui/page.tsx';
import { ITEM_STATE_NAMES } from '../words.ts';

/** Items are loaded again at most this often while they change. */
const REFRESH_MS = 2_000;

export function Batch({ id, query }: { readonly id: string; readonly query: URLSearchParams }) {
  const [round, setRound] = useState(0);
  const { value: batch, setValue: setBatch, connection, problem } = useWatched(watchBatch, id, round);
  if (batch === undefined) return <Opening title="Batch" thrown={problem} />;
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
      {isBatchEnded(batch) ? <FeedCard source={batch.id} /> : null}
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
  const { isRunning, thrown, run } = useAction();
  const isOver = isBatchEnded(batch);
  return (
    <PageHead
      icon="batch"
      title={batchTitle(batch)}
      actions={
        <>
          {batch.counts.success === 0 ? null : (
            <a class={`button ${isOver ? 'button-main' : ''}`} href={batch.archive_url} download="">
              <Icon name="down" /> Archive
            </a>
          )}
          {isOver && batch.counts.failed > 0 ? (
            <Button icon="retry" disabled={isRunning} onClick={() => run(() => change('retry'))}>
              Retry {countText(batch.counts.failed)} failed
            </Button>
          ) : null}
          {isOver || batch.status === 'cancelling' ? null : (
            <ConfirmButton question="Stop this batch?" onYes={() => run(() => change('cancel'))}>
              <Icon name="stop" /> Cancel
            </ConfirmButton>
          )}
        </>
      }
    >
      <p class="line">
        <BatchStatus status={batch.status} />
        <Ago time={batch.created_at} />
        <span class="price">{costText(batch)}</span>
      </p>
      <ErrorNotice thrown={thrown} />
    </PageHead>
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
      <Numbers
        texts={[
          countsText(counts),
          rate === null ? null : `${countText(rate)} a minute`,
          seconds === null ? null : `${spanText(seconds)} to go`,
        ]}
      />
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
  const counts = useRef('');
  counts.current = JSON.stringify(batch.counts);
  const [version, setVersion] = useState(counts.current);
  const refresh = useCallback(() => setVersion(counts.current), []);
  useEvery(REFRESH_MS, refresh);
  const list = useList<BatchItemAnswer>(`${batch.url}/items`, 'items', { query: { state }, version });
  const options: Record<string, string> = { '': 'All' };
  for (const one of Object.keys(ITEM_STATE_NAMES) as ItemState[]) {
    options[one] = `${ITEM_STATE_NAMES[one]} (${countText(batch.counts[one])})`;
  }
  return (
    <section aria-labelledby="items">
      <div class="heading">
        <h2 id="items">Items</h2>
        <Select
          label="State"
          options={options}
          value={state}
          onChoice={(next) => navigate(pathTo('batch', { id: batch.id, state: next }), { isReplaced: true })}
        />
      </div>
      <ItemList list={list} empty="No item is in this state." />
    </section>
  );
}
