import { useState } from 'preact/hooks';
import { Field } from '../ui/controls.tsx';
import { lengthText } from '../pages/speech-estimate.ts';
import { LanguageField } from '../ui/language-field.tsx';
import { NextJob } from './next-job.tsx';

interface LabelsOfferProps {
  readonly audioId: string;
  readonly price: string | null;
  /** About how long the transcription takes, if it is known. */
  readonly seconds: number | undefined;
}

export function LabelsOffer({ audioId, price, seconds }: LabelsOfferProps) {
  const [language, setLanguage] = useState('');
  const [least, setLeast] = useState('');
  const [most, setMost] = useState('');
  const body = {
    transcript_with_speaker_id: audioId,
    ...(language === '' ? {} : { language }),
    speakers: { min: least === '' ? null : Number(least), max: most === '' ? null : Number(most) },
  };
  const count = { type: 'number', min: 1, max: 20, placeholder: 'any', width: 'short' } as const;
  return (
    <NextJob
      title="Transcript with speakers"
      icon="speakers"
      price={price}
      request={{ path: '/api/transcriptspeakerid', body }}
      action="Transcribe"
    >
      {seconds === undefined ? null : <p class="quiet">{`It takes about ${lengthText(seconds)} here.`}</p>}
      <details class="more">
        <summary>Language and number of speakers</summary>
        <div class="row">
          <LanguageField label="Spoken language" value={language} onChange={setLanguage} />
          <Field label="Speakers, at least" {...count} value={least} onText={setLeast} />
          <Field label="Speakers, at most" {...count} value={most} onText={setMost} />
        </div>
      </details>
    </NextJob>
  );
}
