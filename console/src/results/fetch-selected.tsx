import type { Offer } from '../../../contract/http/resolved-schemas.ts';
import { countText, priceText } from '../format-values.ts';
import { readMeanings, requestFor, startBatch } from '../start.ts';
import { Button } from '../ui/controls.tsx';
import { useAction, useLoaded } from '../ui/hooks.ts';
import { LanguageField, useUsualLanguage } from '../ui/language-field.tsx';
import { ErrorNotice } from '../ui/parts.tsx';
import type { Row } from './rows.ts';

const NAMES: Readonly<Record<string, string>> = {
  requestAudio: 'Audio',
  requestVideo: 'Video',
  requestTranscript: 'Captions',
  requestImgnetContent: 'Post',
  requestImgnetAudio: 'Audio',
};

/** Starts a batch of the chosen rows, and shows its page. */
export function FetchSelected({ rows }: { readonly rows: readonly Row[] }) {
  const [first] = rows;
  const { value } = useLoaded(
    async (signal) => (first === undefined ? [] : (await readMeanings(first.reference, signal)).subjects[0]?.offers),
    // All rows of a kind have the same price.
    [first === undefined],
  );
  const [language, setLanguage] = useUsualLanguage();
  const { isRunning, thrown, run } = useAction();
  if (first === undefined) return null;
  const offers = (value ?? []).filter(({ operation, body }) => operation in NAMES && !('include_comments' in body));
  const start = async (offer: Offer): Promise<void> => {
    const items = rows.map(({ reference }) => {
      const subject = 'vidnet_video_id' in offer.body ? { vidnet_video_id: reference } : { url: reference };
      const { body } = requestFor({ ...offer, body: { ...offer.body, ...subject } }, { language, webhook: '' });
      return { operation: offer.operation, ...body };
    });
    await startBatch({ items });
  };
  return (
    <div class="these" role="group" aria-label="Fetch what is chosen">
      <strong>Fetch {rows.length === 1 ? 'this one' : `these ${countText(rows.length)}`}</strong>
      {offers.map((offer) => (
        <Button key={offer.operation} look="main" disabled={isRunning} onClick={() => run(() => start(offer))}>
          {NAMES[offer.operation]} <small>{priceText((Number(offer.price) * rows.length).toFixed(3))}</small>
        </Button>
      ))}
      {offers.some(({ needs }) => needs.includes('language')) ? (
        <LanguageField label="Captions in" value={language} onChange={setLanguage} />
      ) : null}
      <ErrorNotice thrown={thrown} />
    </div>
  );
}
