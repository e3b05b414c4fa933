import { useEffect, useState } from 'preact/hooks';
import type { BatchAnswer, BatchList } from '../../../contract/batches/batch-answers.ts';
import { BatchBar, BatchStatus, batchTitle, costText, countsText, isBatchEnded } from '../batch/batch-parts.tsx';
import { read } from '../console-api.ts';
import { agoText, momentText } from '../format-values.ts';
import { pathTo } from '../router.ts';
import { Button } from '../ui/controls.tsx';
import { useLoaded, useNow } from '../ui/hooks.ts';
import { Icon } from '../ui/icons.tsx';
import { ErrorNotice, Loading, Title } from '../ui/parts.tsx';

const PAGE_ITEMS = 50;
/** How often the newest batches are loaded while one of them runs. */
const POLL_MS = 5_000;

export function Batches() {
  const [shown, setShown] = useState(PAGE_ITEMS);
  const { value, thrown, again } = useLoaded((signal) => newest(shown, signal), [shown]);
  const now = useNow(30_000);
  const isRunning = value?.batches.some((batch) => !isBatchEnded(batch)) === true;
  useEffect(() => {
    if (!isRunning) return undefined;
    const timer = setInterval(again, POLL_MS);
    return () => clearInterval(timer);
  }, [isRunning]);
  return (
    <>
      <Title>Batches</Title>
      <ErrorNotice thrown={thrown} />
      {value === undefined && thrown === undefined ? <Loading /> : null}
      {value?.batches.length === 0 ? (
        <div class="empty">
          <p>There are no batches yet. Choose several rows of a channel or a list of posts, and fetch them at once.</p>
          <p>
            <a class="button button-main" href={pathTo('home')}>
              Fetch something
            </a>
          </p>
        </div>
      ) : null}
      <ul class="jobs">
        {(value?.batches ?? []).map((batch) => (
          <li key={batch.id}>
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
          </li>
        ))}
      </ul>
      {value?.isMore === true ? (
        <p class="center">
          <Button onClick={() => setShown(shown + PAGE_ITEMS)}>Load older batches</Button>
        </p>
      ) : null}
    </>
  );
}

async function newest(most: number, signal: AbortSignal) {
  const batches: BatchAnswer[] = [];
  let cursor: string | null = '';
  while (cursor !== null && batches.length < most) {
    const query = new URLSearchParams({ limit: String(PAGE_ITEMS), ...(cursor !== '' && { cursor }) });
    const page: BatchList = await read<BatchList>(`/api/batches?${query.toString()}`, signal);
    batches.push(...page.batches);
    cursor = page.next_cursor;
  }
  return { batches, isMore: cursor !== null };
}
