import type { RefObject } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import WaveSurfer from 'wavesurfer.js';
import { useStore } from '../browser-store.ts';
import { colourOf, theme } from '../theme.ts';
import type { Download } from '../types.ts';
import { useLoaded } from '../ui/hooks.ts';
import { useFileLink } from './file-link.ts';
import type { Line } from './transcript-lines.ts';

const WAVEFORM_HEIGHT = 72;
const BUCKETS = 1_600;
/** A browser holds all decoded samples in memory: at this rate an hour takes 115 MB for a moment. */
const SAMPLE_RATE_HZ = 8_000;
const DECODED_MAX_SECONDS = 90 * 60;
/** After this many samples the loop yields to other work. */
const SAMPLES_BETWEEN_PAUSES = 2_000_000;

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

/** Computes the loudness of an audio over time. @throws if it cannot be loaded or decoded */
async function peaksOfSound(url: string, signal: AbortSignal): Promise<number[]> {
  const response = await fetch(url, { signal });
  if (!response.ok) throw new Error(`the audio answered ${response.status.toString()}`);
  const context = new OfflineAudioContext(1, 1, SAMPLE_RATE_HZ);
  const samples = (await context.decodeAudioData(await response.arrayBuffer())).getChannelData(0);
  const peaks = new Array<number>(BUCKETS).fill(0);
  const perBucket = samples.length / BUCKETS;
  for (let index = 0; index < samples.length; index += 1) {
    const bucket = Math.min(BUCKETS - 1, Math.floor(index / perBucket));
    peaks[bucket] = Math.max(peaks[bucket] ?? 0, Math.abs(samples[index] ?? 0));
    if (index % SAMPLES_BETWEEN_PAUSES === SAMPLES_BETWEEN_PAUSES - 1)
      await new Promise((resolve) => setTimeout(resolve));
    if (signal.aborted) break;
  }
  return peaks;
}

/** Estimates a waveform from the transcript, for recordings that are not decoded. */
function peaksOfSpeech(lines: readonly Line[], durationSeconds: number): number[] {
  const peaks = new Array<number>(BUCKETS).fill(0.03);
  for (const { start, duration, text } of lines) {
    const from = Math.floor((start / durationSeconds) * BUCKETS);
    const to = Math.min(BUCKETS - 1, Math.ceil(((start + duration) / durationSeconds) * BUCKETS));
    // Faster speech is drawn higher, since the transcript contains no loudness.
    const height = Math.min(1, 0.35 + text.length / Math.max(1, duration) / 40);
    for (let bucket = Math.max(0, from); bucket <= to; bucket += 1) peaks[bucket] = height;
  }
  return peaks;
}
