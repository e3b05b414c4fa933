import { useState } from 'preact/hooks';
import { CONTAINERS } from '../../../contract/media-option-values.ts';
import type { JobDetails } from '../../../contract/http/job-details.ts';
import { read } from '../console-api.ts';
import { bytesText, momentText } from '../format-values.ts';
import type { Download } from '../types.ts';
import { Icon } from '../ui/icons.tsx';
import { Card } from '../ui/parts.tsx';
import { LabelsOffer } from './labels-offer.tsx';

type WithFiles = Extract<Download, { readonly files_removed_at?: string | undefined }>;

/** Files to play and to save. Links expire; the player gets a new link when its own has expired. */
export function Files({ record, details }: { readonly record: WithFiles; readonly details: JobDetails | undefined }) {
  const [links, setLinks] = useState(record.file_urls ?? []);
  const renew = (): void => {
    read<{ data: Download }>(`/downloads/${record.id}`).then(
      ({ data }) => setLinks(data.file_urls ?? []),
      // The player itself shows that it cannot play.
      () => undefined,
    );
  };
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
        {links.map((link, index) => (
          <Player key={index} link={link} file={details?.files[index]} record={record} onGone={renew} />
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
  readonly link: string;
  readonly file: JobDetails['files'][number] | undefined;
  readonly record: WithFiles;
  readonly onGone: () => void;
}

function Player({ link, file, record, onGone }: PlayerProps) {
  const [isRenewed, setRenewed] = useState(false);
  const onError = (): void => {
    if (isRenewed) return;
    setRenewed(true);
    onGone();
  };
  const [, ending = ''] = /\.(\w+)(?:\?|$)/.exec(link) ?? [];
  const isVideo = VIDEOS.includes(ending);
  const isPicture = PICTURES.includes(ending);
  const attributes = { controls: true, preload: 'metadata', src: link, onError } as const;
  return (
    <div class="player">
      {isPicture ? (
        <img src={link} onError={onError} alt={file?.name ?? ''} loading="lazy" />
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
