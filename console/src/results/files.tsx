import { useState } from 'preact/hooks';
import { CONTAINERS } from '../../../contract/media-option-values.ts';
import type { JobDetails } from '../../../contract/http/job-details.ts';
import { bytesText, momentText } from '../format-values.ts';
import type { Download } from '../types.ts';
import { lengthText } from '../pages/speech-estimate.ts';
import { Field } from '../ui/controls.tsx';
import { Icon } from '../ui/icons.tsx';
import { LanguageField } from '../ui/language-field.tsx';
import { Card } from '../ui/parts.tsx';
import { useFileLink } from './file-link.ts';
import { NextJob } from './next-job.tsx';

type WithFiles = Extract<Download, { readonly files_removed_at?: string | undefined }>;

/** Files to play and to save. Links expire; the player gets a new link when its own has expired. */
export function Files({ record, details }: { readonly record: WithFiles; readonly details: JobDetails | undefined }) {
  const links = record.file_urls ?? [];
  if (record.files_removed_at !== undefined) {
    return (
      <Card title="Files">
        <p>
          They were removed at {momentText(record.files_removed_at)}, when their time was over. A new request fetches
          them again.
        </p>
      </Card>
    );
  }
  if (links.length === 0) {
    return (
      <Card title="No sound">
        <p>The post has photos only, or its videos are silent.</p>
      </Card>
    );
  }
  return (
    <>
      <Card title={links.length === 1 ? 'Play' : `${links.length.toString()} files`}>
        {links.map((_link, index) => (
          <Player key={index} index={index} file={details?.files[index]} record={record} />
        ))}
      </Card>
      {record.transcript_speaker_id === null ? null : (
        <LabelsOffer
          audioId={record.transcript_speaker_id}
          price={record.transcript_speaker_cost}
          seconds={details?.transcription_seconds ?? undefined}
        />
      )}
    </>
  );
}

const PICTURES = ['jpg', 'png', 'webp', 'avif', 'heic'];
const VIDEOS = Object.entries<{ readonly format: string }>(CONTAINERS).flatMap(([one, { format }]) =>
  format === 'video' ? [one] : [],
);

interface PlayerProps {
  readonly index: number;
  readonly file: JobDetails['files'][number] | undefined;
  readonly record: WithFiles;
}

function Player({ index, file, record }: PlayerProps) {
  const { link = '', renew } = useFileLink(record, index);
  const [, ending = ''] = /\.(\w+)(?:\?|$)/.exec(link) ?? [];
  const isVideo = VIDEOS.includes(ending);
  const isPicture = PICTURES.includes(ending);
  const attributes = { controls: true, preload: 'metadata', src: link, onError: renew } as const;
  return (
    <div class="player">
      {isPicture ? (
        <img src={link} onError={renew} alt={file?.name ?? ''} loading="lazy" />
      ) : isVideo ? (
        <video {...attributes} aria-label={`Video ${record.media_id}`} />
      ) : (
        <audio {...attributes} aria-label={`Audio ${record.media_id}`} />
      )}
      <p class="line">
        <a class="button" href={link} download={file?.name ?? ''}>
          <Icon name="down" /> {ending.toUpperCase()}
          {file === undefined ? '' : `, ${bytesText(file.size_bytes)}`}
        </a>
        {record.duration === null || record.file_urls?.length !== 1 ? null : (
          <span class="quiet">{record.duration}</span>
        )}
      </p>
    </div>
  );
}

interface LabelsOfferProps {
  readonly audioId: string;
  readonly price: string | null;
  /** About how long the transcription takes, if it is known. */
  readonly seconds: number | undefined;
}

function LabelsOffer({ audioId, price, seconds }: LabelsOfferProps) {
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
