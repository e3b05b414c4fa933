import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { navigate } from '../router.ts';
import { jobPath, start } from '../start.ts';
import { useAction } from '../ui/hooks.ts';
import { Icon } from '../ui/icons.tsx';
import { LanguageField } from '../ui/language-field.tsx';
import { Price, Trouble } from '../ui/parts.tsx';

/** Offers speaker labels for an audio as the next step. */
export function LabelsOffer({
  audioId,
  price,
}: {
  readonly audioId: string;
  readonly price: string | null;
}): JSX.Element {
  const { isRunning, thrown, run } = useAction();
  const [language, setLanguage] = useState('');
  const [least, setLeast] = useState('');
  const [most, setMost] = useState('');
  const body = {
    transcript_with_speaker_id: audioId,
    ...(language === '' ? {} : { language }),
    ...(least === '' ? {} : { min_speakers: Number(least) }),
    ...(most === '' ? {} : { max_speakers: Number(most) }),
  };
  const count = (label: string, value: string, onChange: (next: string) => void): JSX.Element => (
    <label class="field field-short">
      <span>{label}</span>
      <input
        type="number"
        min={1}
        max={20}
        placeholder="any"
        value={value}
        onInput={(event) => onChange(event.currentTarget.value)}
      />
    </label>
  );
  return (
    <section class="card" aria-labelledby="labels-heading">
      <div class="heading">
        <h2 id="labels-heading">
          <Icon name="speakers" /> Transcript with speakers
        </h2>
        <span class="line">
          {price === null ? null : <Price amount={price} />}
          <button
            type="button"
            class="button button-main"
            disabled={isRunning}
            onClick={() => run(async () => navigate(jobPath(await start({ path: '/api/transcriptspeakerid', body }))))}
          >
            {isRunning ? 'Starting…' : 'Transcribe'}
          </button>
        </span>
      </div>
      <Trouble thrown={thrown} />
      <details class="more">
        <summary>Language and number of speakers</summary>
        <div class="row">
          <LanguageField label="Spoken language" value={language} onChange={setLanguage} />
          {count('Speakers, at least', least, setLeast)}
          {count('Speakers, at most', most, setMost)}
        </div>
      </details>
    </section>
  );
}
