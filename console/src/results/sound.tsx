import type { RefObject } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { read } from '../console-api.ts';
import type { Download } from '../types.ts';
import type { Line } from './transcript-lines.ts';
import { Waveform } from './waveform.tsx';

interface SoundProps {
  readonly media: RefObject<HTMLAudioElement | null>;
  readonly audio: Download | undefined;
  readonly lines: readonly Line[];
  readonly durationSeconds: number;
}

/** The player of a transcript with its waveform. If the audio has expired, a note replaces it and the text stays readable. */
export function Sound({ media, audio, lines, durationSeconds }: SoundProps) {
  const [url, setUrl] = useState(linkIn(audio));
  useEffect(() => setUrl(linkIn(audio)), [audio]);
  const [isRenewed, setRenewed] = useState(false);
  if (url === undefined) return <p class="quiet">The audio is not kept any more, so there is nothing to play.</p>;
  /** A link is valid for about an hour, and a page may be open for longer. */
  const renew = (): void => {
    if (isRenewed || audio === undefined) return;
    setRenewed(true);
    read<{ data: Download }>(`/downloads/${audio.id}`).then(
      ({ data }) => setUrl(linkIn(data)),
      // The player itself shows that it cannot play.
      () => undefined,
    );
  };
  return (
    <>
      <audio
        ref={media}
        src={url}
        controls
        preload="metadata"
        onError={renew}
        aria-label="The audio of this transcript"
      />
      <Waveform media={media} url={url} lines={lines} durationSeconds={durationSeconds} />
    </>
  );
}

function linkIn(audio: Download | undefined): string | undefined {
  return audio?.audio_url ?? audio?.file_urls?.[0] ?? undefined;
}
