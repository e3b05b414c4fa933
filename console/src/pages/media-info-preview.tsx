import { useEffect, useState } from 'preact/hooks';
import type { MediaInfo, MediaInfoResult } from '../../../contract/kinds/media-info.ts';
import type { Offer } from '../../../contract/http/resolved-schemas.ts';
import { call } from '../console-api.ts';
import { MediaInfoSummary } from '../results/media-info-details.tsx';
import { Button } from '../ui/controls.tsx';
import { ErrorNotice, Loading, Notice, Price } from '../ui/parts.tsx';

const WAIT_SECONDS = 30;
type OnRead = (info: MediaInfo) => void;

/** Shows what a page offers before anything is bought. Facts that cost something are requested only by the user. */
export function MediaInfoPreview({ offer, onRead }: { readonly offer: Offer | undefined; readonly onRead: OnRead }) {
  const isFree = Number(offer?.price) === 0;
  const [isWanted, setWanted] = useState(isFree);
  if (offer === undefined) return null;
  if (isWanted) {
    const url = offer.body['url'];
    return <MediaInfoWhenRead path={offer.path} url={typeof url === 'string' ? url : ''} onRead={onRead} />;
  }
  return (
    <p class="row">
      <Button onClick={() => setWanted(true)}>Look first</Button>
      <Price amount={offer.price} />
    </p>
  );
}

interface WhenReadProps {
  readonly path: string;
  readonly url: string;
  readonly onRead: OnRead;
}

function MediaInfoWhenRead({ path, url, onRead }: WhenReadProps) {
  const [seen, setSeen] = useState<MediaInfoResult>();
  const [thrown, setThrown] = useState<unknown>();
  useEffect(() => {
    const end = new AbortController();
    const read = async (): Promise<void> => {
      for (;;) {
        const options = { body: { url }, signal: end.signal, waitSeconds: WAIT_SECONDS };
        const result = await call<MediaInfoResult>('POST', path, options);
        end.signal.throwIfAborted();
        if (result.status === 'pending') continue;
        setSeen(result);
        if (result.status === 'success') onRead(result);
        return;
      }
    };
    read().catch((error: unknown) => {
      if (!end.signal.aborted) setThrown(error);
    });
    return () => end.abort();
  }, [path, url]);
  if (thrown !== undefined) return <ErrorNotice thrown={thrown} />;
  if (seen === undefined || seen.status === 'pending') return <Loading what="Looking at the page" />;
  return seen.status === 'failed' ? <Notice icon="warning">{seen.message}</Notice> : <MediaInfoSummary info={seen} />;
}
