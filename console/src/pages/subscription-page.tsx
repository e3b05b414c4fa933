import type { BatchItemAnswer } from '../../../contract/batches/batch-answers.ts';
import type { SubscriptionAnswer } from '../../../contract/subscriptions/subscription-request.ts';
import { FeedCard } from '../batch/feed-card.tsx';
import { ItemList } from '../batch/item-list.tsx';
import { call, read } from '../console-api.ts';
import { countText, momentText } from '../format-values.ts';
import { navigate, pathTo } from '../router.ts';
import { Checked, fetchesText, SubscriptionStatus, subscriptionTitle } from '../subscription/subscription-parts.tsx';
import { Button } from '../ui/controls.tsx';
import { useAction, useEvery, useLoaded } from '../ui/hooks.ts';
import { useList } from '../ui/list.tsx';
import { Card, ConfirmButton, ErrorNotice, ExternalLink, Facts, Notice } from '../ui/parts.tsx';
import { Opening, PageHead } from '../ui/page.tsx';

const POLL_MS = 5_000;

export function Subscription({ id }: { readonly id: string }) {
  const path = `/api/subscriptions/${id}`;
  const { value, thrown, again } = useLoaded((signal) => read<SubscriptionAnswer>(path, signal), [path]);
  const items = useList<BatchItemAnswer & { readonly batch_id: string }>(`${path}/items`, 'items');
  const action = useAction();
  useEvery(POLL_MS, again);
  useEvery(POLL_MS, items.again);
  if (value === undefined) return <Opening title="Subscription" thrown={thrown} />;
  const change = (what: 'pause' | 'resume' | 'check'): void =>
    action.run(async () => {
      await call('POST', `${path}/${what}`, { body: {} });
      again();
    });
  const remove = async (): Promise<void> => {
    await call('DELETE', path);
    navigate(pathTo('subscriptions'));
  };
  const { status, pause, backlog, failure } = value;
  const isActive = status === 'active';
  return (
    <>
      <PageHead
        icon="bell"
        title={subscriptionTitle(value)}
        actions={
          <>
            {isActive ? (
              <Button icon="retry" disabled={action.isRunning} onClick={() => change('check')}>
                Check now
              </Button>
            ) : null}
            <Button
              look={isActive ? 'plain' : 'main'}
              disabled={action.isRunning}
              onClick={() => change(isActive ? 'pause' : 'resume')}
            >
              {isActive ? 'Pause' : 'Resume'}
            </Button>
            <ConfirmButton question="Delete this subscription?" onYes={() => action.run(remove)}>
              Delete
            </ConfirmButton>
          </>
        }
      >
        <p class="line">
          <SubscriptionStatus status={status} />
          <span>{fetchesText(value)}</span>
          <Checked at={value.checked_at} />
        </p>
        <ErrorNotice thrown={action.thrown ?? thrown} />
      </PageHead>
      {pause === null ? null : <Notice icon="clock">{pause.message}</Notice>}
      {backlog.items === 0 ? null : (
        <Notice icon="clock">
          {countText(backlog.items)} {backlog.items === 1 ? 'entry waits' : 'entries wait'}, for at most {backlog.cost}{' '}
          credits.
        </Notice>
      )}
      {failure === null ? null : <Notice icon="warning">The last check failed. {failure.message}</Notice>}
      <Card title="About this subscription">
        <Facts
          facts={[
            ['Source', <ExternalLink url={value.from}>{value.from}</ExternalLink>],
            ['Fetches', SINCE_TEXTS[value.since] ?? `What was published since ${value.since}`],
            ['Started so far', countText(value.started)],
            ['Cost of a check', value.check_cost],
            ['Cost today', value.cost_today],
            ['At most a day', value.max_cost_per_day],
            ['Created', momentText(value.created_at)],
            ['Id', <code>{value.id}</code>],
          ]}
        />
      </Card>
      <FeedCard source={id} />
      <section aria-labelledby="items">
        <h2 id="items">Items</h2>
        <ItemList list={items} empty="Nothing has been fetched yet." />
      </section>
    </>
  );
}

const SINCE_TEXTS: Readonly<Record<string, string>> = { now: 'What is published from now on', all: 'Everything' };
