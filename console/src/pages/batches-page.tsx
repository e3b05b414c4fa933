import type { BatchAnswer } from '../../../contract/batches/batch-answers.ts';
import { BatchBar, BatchStatus, batchTitle, costText, countsText, isBatchEnded } from '../batch/batch-parts.tsx';
import { pathTo } from '../router.ts';
import { useEvery } from '../ui/hooks.ts';
import { List, Row, useList } from '../ui/list.tsx';
import { Ago } from '../ui/parts.tsx';
import { NothingYet, Title } from '../ui/page.tsx';

/** How often the newest batches are loaded while one of them runs. */
const POLL_MS = 5_000;

export function Batches() {
  const list = useList<BatchAnswer>('/api/batches', 'batches');
  useEvery(POLL_MS, list.again, list.entries?.some((batch) => !isBatchEnded(batch)) === true);
  const empty = (
    <NothingYet>
      There are no batches yet. Paste the link of a channel, playlist or profile, or choose several rows of a channel or
      a list of posts.
    </NothingYet>
  );
  return (
    <>
      <Title>Batches</Title>
      <List list={list} empty={empty} more="Load older batches" keyOf={({ id }) => id}>
        {(batch) => (
          <Row
            href={pathTo('batch', { id: batch.id })}
            icon="batch"
            title={batchTitle(batch)}
            detail={countsText(batch.counts)}
            end={
              <>
                <BatchStatus status={batch.status} />
                <span class="quiet">
                  <Ago time={batch.created_at} /> · <span class="price">{costText(batch)}</span>
                </span>
              </>
            }
          >
            {isBatchEnded(batch) ? null : <BatchBar {...batch} />}
          </Row>
        )}
      </List>
    </>
  );
}
