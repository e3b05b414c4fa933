import type { RefObject } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { useStore } from '../browser-store.ts';
import { colourOf, theme } from '../theme.ts';
import type { SpeakerNames } from '../../../contract/kinds/speaker-names.ts';
import { nameIn, type VoiceSegment } from './transcript-lines.ts';
import { playFrom } from './playback.ts';

const LANE = 18;
const GAP = 4;
const LEAST_WIDTH = 1.5;
const VOICES = 8;

export function voiceOf(index: number): string {
  return `--voice-${(index % VOICES).toString()}`;
}

interface LanesProps {
  readonly voiceSegments: readonly VoiceSegment[];
  readonly speakers: readonly string[];
  readonly names: SpeakerNames;
  readonly durationSeconds: number;
  readonly media: RefObject<HTMLMediaElement | null>;
}

/** A lane for each speaker with its voice segments, in the speaker's colour, on the same time axis as the waveform above. */
export function Lanes({ voiceSegments, speakers, names, durationSeconds, media }: LanesProps) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const shown = useStore(theme);
  const width = useWidth(canvas);
  const height = speakers.length * (LANE + GAP);
  useEffect(() => {
    const paper = canvas.current?.getContext('2d');
    if (!paper || width === 0) return;
    const scale = devicePixelRatio;
    paper.canvas.width = Math.round(width * scale);
    paper.canvas.height = Math.round(height * scale);
    paper.scale(scale, scale);
    const pixelsPerSecond = width / durationSeconds;
    paper.fillStyle = colourOf('--track');
    paper.beginPath();
    for (const lane of speakers.keys()) paper.roundRect(0, lane * (LANE + GAP), width, LANE, 4);
    paper.fill();
    for (const [lane, label] of speakers.entries()) {
      paper.fillStyle = colourOf(voiceOf(lane));
      for (const { start, duration } of voiceSegments.filter(({ speaker }) => speaker === label)) {
        paper.beginPath();
        const length = Math.max(LEAST_WIDTH, duration * pixelsPerSecond);
        paper.roundRect(start * pixelsPerSecond, lane * (LANE + GAP), length, LANE, 3);
        paper.fill();
      }
    }
  }, [voiceSegments, speakers, durationSeconds, width, height, shown]);
  const shares = sharesOf(voiceSegments);
  const descriptions = speakers.map(
    (label) => `${nameIn(names, label)} ${((shares.get(label) ?? 0) * 100).toFixed(0)} %`,
  );
  return (
    <canvas
      ref={canvas}
      class="lanes"
      style={{ height: `${height.toString()}px` }}
      role="img"
      aria-label={`Who speaks when, and how much: ${descriptions.join(', ')}`}
      onClick={(event) => {
        const box = event.currentTarget.getBoundingClientRect();
        playFrom(media.current, ((event.clientX - box.left) / box.width) * durationSeconds);
      }}
    />
  );
}

export function sharesOf(voiceSegments: readonly VoiceSegment[]): ReadonlyMap<string, number> {
  const seconds = new Map<string, number>();
  for (const { speaker, duration } of voiceSegments) seconds.set(speaker, (seconds.get(speaker) ?? 0) + duration);
  const all = [...seconds.values()].reduce((sum, one) => sum + one, 0);
  return new Map([...seconds].map(([label, one]) => [label, all === 0 ? 0 : one / all]));
}

function useWidth(element: RefObject<HTMLElement | null>): number {
  const [width, setWidth] = useState(0);
  useEffect(() => {
    const watched = element.current;
    if (watched === null) return undefined;
    const observer = new ResizeObserver(() => setWidth(watched.clientWidth));
    observer.observe(watched);
    return () => observer.disconnect();
  }, [element]);
  return width;
}
