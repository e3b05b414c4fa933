import type { Line } from './transcript-lines.ts';

const BUCKETS = 1_600;
/** A browser holds all decoded samples in memory: at this rate an hour takes 115 MB for a moment. */
const SAMPLE_RATE_HZ = 8_000;
export const DECODED_MAX_SECONDS = 90 * 60;
/** After this many samples the loop yields to other work. */
const SAMPLES_BETWEEN_PAUSES = 2_000_000;

/** Computes the loudness of an audio over time. @throws if it cannot be loaded or decoded */
export async function peaksOfSound(url: string, signal: AbortSignal): Promise<number[]> {
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
export function peaksOfSpeech(lines: readonly Line[], durationSeconds: number): number[] {
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
