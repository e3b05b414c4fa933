import { useState } from 'preact/hooks';
import type { Feed } from '../../../contract/http/feed-schemas.ts';
import { call } from '../console-api.ts';
import { dateText } from '../format-values.ts';
import { Button } from '../ui/controls.tsx';
import { useAction } from '../ui/hooks.ts';
import { List, useList } from '../ui/list.tsx';
import { Card, ConfirmButton, ErrorNotice } from '../ui/parts.tsx';

/** The podcast feeds of a batch or subscription. The service shows the address of a feed only once, when it is created. */
export function FeedCard({ source }: { readonly source: string }) {
  const list = useList<Feed>('/api/feeds', 'feeds');
  const [created, setCreated] = useState<Feed>();
  const { isRunning, thrown, run } = useAction();
  const own = { ...list, entries: list.entries?.filter((feed) => feed.source === source) };
  const create = async (): Promise<void> => {
    setCreated(await call<Feed>('POST', '/api/feeds', { body: { source } }));
    list.again();
  };
  const revoke = async (id: string): Promise<void> => {
    await call<Feed>('DELETE', `/api/feeds/${id}`);
    list.again();
  };
  return (
    <Card
      title="Podcast feed"
      end={
        <Button disabled={isRunning} onClick={() => run(create)}>
          Create a feed
        </Button>
      }
    >
      <ErrorNotice thrown={thrown} />
      <List
        list={own}
        empty={<p class="quiet">A podcast program can subscribe to the files: create an address for it.</p>}
        more="Load older feeds"
        keyOf={({ id }) => id}
      >
        {(feed) => (
          <div class="job-row">
            <span class="job-what">
              <strong class="clip" dir="auto">
                {feed.title}
              </strong>{' '}
              {feed.id === created?.id && created.rss_url !== null ? (
                <Address url={created.rss_url} />
              ) : (
                <span class="quiet">Created {dateText(feed.created_at)}. Its address is not stored.</span>
              )}
            </span>
            <ConfirmButton question="Revoke this address?" onYes={() => run(() => revoke(feed.id))}>
              Revoke
            </ConfirmButton>
          </div>
        )}
      </List>
    </Card>
  );
}

function Address({ url }: { readonly url: string }) {
  const { thrown, run } = useAction();
  const [isCopied, setCopied] = useState(false);
  return (
    <>
      <span class="row">
        <code>{url}</code>
        <Button
          onClick={() =>
            run(async () => {
              await navigator.clipboard.writeText(url);
              setCopied(true);
            })
          }
        >
          {isCopied ? 'Copied' : 'Copy'}
        </Button>
      </span>
      <span class="quiet">Keep this address: it is shown only now. Anyone who has it can play the files.</span>
      <ErrorNotice thrown={thrown} />
    </>
  );
}
