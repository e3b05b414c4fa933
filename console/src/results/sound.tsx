import type { RefObject } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import WaveSurfer from 'wavesurfer.js';
import { useStore } from '../browser-store.ts';
import { colourOf, theme } from '../theme.ts';
import type { Download } from '../types.ts';
import { useFileLink } from './file-link.ts';
import { DECODED_MAX_SECONDS, peaksOfSound, peaksOfSpeech } from './peaks.ts';
import type { Line } from './transcript-lines.ts';

const WAVEFORM_HEIGHT = 72;

interface SoundProps {
  readonly media: RefObject<HTMLAudioElement | null>;
  readonly audio: Download | undefined;
  readonly lines: readonly Line[];
  readonly durationSeconds: number;
}

/** The player of a transcript with its waveform. If the audio has expired, a note replaces it and the text stays readable. */
export function Sound({ media, audio, lines, durationSeconds }: SoundProps) {
  const { link: url, renew } = useFileLink(audio);
  if (url === undefined) return <p class="quiet">The audio is not kept any more, so there is nothing to play.</p>;
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

function Waveform({ media, url, lines, durationSeconds }: Omit<SoundProps, 'audio'> & { readonly url: string }) {
  const containerRef = useRef<HTMLDivElement>(null);
  const shown = useStore(theme);
  const surfer = useRef<WaveSurfer | undefined>(undefined);
  const { peaks, isOfSpeech } = usePeaks(url, lines, durationSeconds);
  useEffect(() => {
    const [container, player] = [containerRef.current, media.current];
    if (peaks === undefined || container === null || player === null) return undefined;
    const nonce = document.querySelector<HTMLMetaElement>('meta[name="csp-nonce"]')?.content ?? '';
    const made = WaveSurfer.create({
      container,
      media: player,
      peaks: [peaks],
      duration: durationSeconds,
      height: WAVEFORM_HEIGHT,
      barWidth: 2,
      barGap: 1,
      barRadius: 2,
      barMinHeight: 1,
      normalize: true,
      dragToSeek: true,
      cspNonce: nonce,
      ...colours(),
    });
    surfer.current = made;
    return () => {
      surfer.current = undefined;
      made.destroy();
    };
  }, [peaks, durationSeconds]);
  useEffect(() => surfer.current?.setOptions(colours()), [shown]);
  return (
    <>
      <div class="waveform" ref={containerRef} aria-hidden="true" />
      {isOfSpeech ? <p class="quiet">Drawn from the transcript, not from the sound.</p> : null}
    </>
  );
}

/** If a recording is too long to decode in a page, or the page may not read it, the waveform is estimated from the transcript. */
function usePeaks(url: string, lines: readonly Line[], durationSeconds: number) {
  const [state, setState] = useState<{ readonly peaks?: number[]; readonly isOfSpeech: boolean }>({
    isOfSpeech: false,
  });
  useEffect(() => {
    const end = new AbortController();
    const ofSpeech = (): void => setState({ peaks: peaksOfSpeech(lines, durationSeconds), isOfSpeech: true });
    if (durationSeconds > DECODED_MAX_SECONDS) ofSpeech();
    else
      peaksOfSound(url, end.signal).then(
        (peaks) => {
          if (!end.signal.aborted) setState({ peaks, isOfSpeech: false });
        },
        () => {
          if (!end.signal.aborted) ofSpeech();
        },
      );
    return () => end.abort();
  }, [url, durationSeconds]);
  return state;
}

function colours() {
  return { waveColor: colourOf('--wave'), progressColor: colourOf('--accent'), cursorColor: colourOf('--ink') };
}
