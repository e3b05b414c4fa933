import type { BatchAnswer } from '../../../contract/batches/batch-answers.ts';
import { BatchBar, BatchStatus, batchTitle, costText, countsText, isBatchEnded } from '../batch/batch-parts.tsx';
import { agoText, momentText } from '../format-values.ts';
import { pathTo } from '../router.ts';
import { useEvery, useNow } from '../ui/hooks.ts';
import { Icon } from '../ui/icons.tsx';
import { List, useList } from '../ui/list.tsx';
import { Title } from '../ui/parts.tsx';

/** How often the newest batches are loaded while one of them runs. */
const POLL_MS = 5_000;

export function Batches() {
  const list = useList<BatchAnswer>('/api/batches', 'batches');
  const now = useNow(30_000);
  useEvery(POLL_MS, list.again, list.entries?.some((batch) => !isBatchEnded(batch)) === true);
  const empty = (
    <div class="empty">
      <p>
        There are no batches yet. Paste the link of a channel, playlist or profile, or choose several rows of a channel
        or a list of posts.
      </p>
      <p>
        <a class="button button-main" href={pathTo('home')}>
          Fetch something
        </a>
      </p>
    </div>
  );
  return (
    <>
      <Title>Batches</Title>
      <List list={list} empty={empty} more="Load older batches" keyOf={({ id }) => id}>
        {(batch) => (
          <a class="job-row" href={pathTo({ batch: batch.id })}>
            <span class="badge">
              <Icon name="batch" />
            </span>
            <span class="job-what">
              <strong class="clip" dir="auto">
                {batchTitle(batch)}
              </strong>{' '}
              <span class="quiet clip">{countsText(batch.counts)}</span>
              {isBatchEnded(batch) ? null : <BatchBar {...batch} />}
            </span>
            <span class="job-end">
              <BatchStatus status={batch.status} />
              <span class="quiet">
                <time dateTime={batch.created_at} title={momentText(batch.created_at)}>
                  {agoText(batch.created_at, now)}
                </time>
                {' · '}
                <span class="price">{costText(batch)}</span>
              </span>
            </span>
          </a>
        )}
      </List>
    </>
  );
}
