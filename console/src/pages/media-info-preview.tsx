import { useState } from 'preact/hooks';
import type { MediaInfo, MediaInfoResult } from '../../../contract/kinds/media-info.ts';
import type { Offer } from '../../../contract/http/resolved-schemas.ts';
import { call } from '../console-api.ts';
import { MediaInfoSummary } from '../results/media-info-details.tsx';
import { Button } from '../ui/controls.tsx';
import { Loaded, Notice, Price } from '../ui/parts.tsx';

const WAIT_SECONDS = 30;
type OnRead = (info: MediaInfo) => void;

/** Shows what a page offers before anything is bought. Facts that cost something are requested only by the user. */
export function MediaInfoPreview({ offer, onRead }: { readonly offer: Offer | undefined; readonly onRead: OnRead }) {
  const isFree = Number(offer?.price) === 0;
  const [isWanted, setWanted] = useState(isFree);
  if (offer === undefined) return null;
  if (isWanted) {
    return (
      <Loaded
        load={(signal) => readInfo(offer, onRead, signal)}
        dependsOn={[offer.body['url']]}
        what="Looking at the page"
      >
        {(info) =>
          info.status === 'failed' ? <Notice icon="warning">{info.message}</Notice> : <MediaInfoSummary info={info} />
        }
      </Loaded>
    );
  }
  return (
    <p class="row">
      <Button onClick={() => setWanted(true)}>Look first</Button>
      <Price amount={offer.price} />
    </p>
  );
}

async function readInfo({ path, body: { url } }: Offer, onRead: OnRead, signal: AbortSignal) {
  for (;;) {
    const result = await call<MediaInfoResult>('POST', path, { body: { url }, signal, waitSeconds: WAIT_SECONDS });
    signal.throwIfAborted();
    if (result.status === 'success') onRead(result);
    if (result.status !== 'pending') return result;
  }
}
