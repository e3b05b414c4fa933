import type { RefObject } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import WaveSurfer from 'wavesurfer.js';
import { useStore } from '../browser-store.ts';
import { colourOf, theme } from '../theme.ts';
import type { Download } from '../types.ts';
import { useLoaded } from '../ui/hooks.ts';
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

type WaveformProps = Omit<SoundProps, 'audio'> & { readonly url: string };

function Waveform({ media, url, lines, durationSeconds }: WaveformProps) {
  const containerRef = useRef<HTMLDivElement>(null);
  const shown = useStore(theme);
  const surfer = useRef<WaveSurfer | undefined>(undefined);
  const { value } = useLoaded((signal) => loadPeaks({ url, lines, durationSeconds }, signal), [url, durationSeconds]);
  const { peaks, isOfSpeech = false } = value ?? {};
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
async function loadPeaks({ url, lines, durationSeconds }: Omit<WaveformProps, 'media'>, signal: AbortSignal) {
  if (durationSeconds <= DECODED_MAX_SECONDS) {
    const peaks = await peaksOfSound(url, signal).catch(() => undefined);
    if (peaks !== undefined) return { peaks, isOfSpeech: false };
  }
  return { peaks: peaksOfSpeech(lines, durationSeconds), isOfSpeech: true };
}

function colours() {
  return { waveColor: colourOf('--wave'), progressColor: colourOf('--accent'), cursorColor: colourOf('--ink') };
}
