import { useEffect, useRef, useState } from 'preact/hooks';
import type { Offer } from '../../../contract/http/resolved-schemas.ts';
import { Problem, sentenceOf } from '../console-api.ts';
import { countText, priceText } from '../format-values.ts';
import { pathTo } from '../router.ts';
import { readMeanings, requestFor, start } from '../start.ts';
import { Button } from '../ui/controls.tsx';
import { useLoaded } from '../ui/hooks.ts';
import { LanguageField, usualLanguage } from '../ui/language-field.tsx';
import type { Row } from './rows.ts';

const NAMES: Readonly<Record<string, string>> = {
  requestAudio: 'Audio',
  requestVideo: 'Video',
  requestTranscript: 'Captions',
  requestImgnetContent: 'Post',
  requestImgnetAudio: 'Audio',
};
const CONCURRENCY = 2;

interface BatchProgress {
  readonly all: number;
  readonly started: number;
  readonly refused: number;
  /** The reason why it stopped or waits. */
  readonly message?: string | undefined;
  readonly isOver: boolean;
}

export function FetchSelected({ rows }: { readonly rows: readonly Row[] }) {
  const [first] = rows;
  const { value } = useLoaded(
    async (signal) => (first === undefined ? [] : (await readMeanings(first.reference, signal)).subjects[0]?.offers),
    // All rows of a kind have the same price.
    [first === undefined],
  );
  const [language, setLanguage] = useState(usualLanguage());
  const [progress, setProgress] = useState<BatchProgress>();
  const end = useRef<AbortController | undefined>(undefined);
  useEffect(() => () => end.current?.abort(), []);
  if (progress !== undefined)
    return <Progress progress={progress} onStop={() => end.current?.abort()} onDone={() => setProgress(undefined)} />;
  if (first === undefined) return null;
  const offers = (value ?? []).filter(({ operation, body }) => operation in NAMES && !('include_comments' in body));
  const begin = (offer: Offer): void => {
    end.current = new AbortController();
    void startAll(offer, { rows, language, signal: end.current.signal, onChange: setProgress });
  };
  return (
    <div class="these" role="group" aria-label="Fetch what is chosen">
      <strong>Fetch {rows.length === 1 ? 'this one' : `these ${countText(rows.length)}`}</strong>
      {offers.map((offer) => (
        <Button key={offer.operation} look="main" onClick={() => begin(offer)}>
          {NAMES[offer.operation]} <small>{priceText((Number(offer.price) * rows.length).toFixed(3))}</small>
        </Button>
      ))}
      {offers.some(({ needs }) => needs.includes('language')) ? (
        <LanguageField label="Captions in" value={language} onChange={setLanguage} />
      ) : null}
    </div>
  );
}

interface ProgressProps {
  readonly progress: BatchProgress;
  readonly onStop: () => void;
  readonly onDone: () => void;
}

function Progress({ progress, onStop, onDone }: ProgressProps) {
  const { all, started, refused, message, isOver } = progress;
  return (
    <div class="these" role="status">
      <span class="grow">
        <strong>
          {countText(started)} of {countText(all)} started
        </strong>
        {refused === 0 ? '' : `, ${countText(refused)} refused`}
        {message === undefined ? '' : `. ${message}`}
        <progress aria-label="Requests that were sent" max={all} value={started + refused} />
      </span>
      <a class="button" href={pathTo('jobs')}>
        See the jobs
      </a>
      <Button onClick={isOver ? onDone : onStop}>{isOver ? 'Done' : 'Stop'}</Button>
    </div>
  );
}

interface Batch {
  readonly rows: readonly Row[];
  readonly language: string;
  readonly signal: AbortSignal;
  readonly onChange: (progress: BatchProgress) => void;
}

/** Sends requests as fast as the service accepts them, and stops when the credit is used up. */
async function startAll(offer: Offer, { rows, language, signal, onChange }: Batch): Promise<void> {
  const waiting = [...rows];
  let progress: BatchProgress = { all: rows.length, started: 0, refused: 0, isOver: false };
  const report = (change: Partial<BatchProgress>): void => onChange((progress = { ...progress, ...change }));
  report({});
  const work = async (): Promise<void> => {
    for (let row = waiting.shift(); row !== undefined && !signal.aborted; row = waiting.shift()) {
      try {
        const { reference } = row;
        const subject = 'vidnet_video_id' in offer.body ? { vidnet_video_id: reference } : { url: reference };
        await start(requestFor({ ...offer, body: { ...offer.body, ...subject } }, { language, webhook: '' }));
        report({ started: progress.started + 1, message: undefined });
      } catch (error) {
        const { status, retryAfterSeconds } = error instanceof Problem ? error : { status: 0, retryAfterSeconds: 0 };
        if (status === 429) {
          waiting.unshift(row);
          report({ message: `The service takes no more for ${retryAfterSeconds.toString()} s.` });
          await new Promise((resolve) => setTimeout(resolve, Math.max(1, retryAfterSeconds) * 1000));
        } else {
          // Without a connection, a valid key or credit, further requests would fail in the same way.
          if ([0, 401, 402, 403].includes(status)) waiting.length = 0;
          report({ refused: progress.refused + 1, message: sentenceOf(error) });
        }
      }
    }
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, work));
  report({ isOver: true });
}
