import { failureFor } from '../contract/failures.ts';
import { JobError } from '../runtime/job-error.ts';
import { streamOf, type Probe } from './probe.ts';

/** The work of a run of ffmpeg: bytes to copy, seconds of audio to encode, pixels to decode and encode. */
export interface Work {
  readonly bytes?: number;
  readonly seconds?: number;
  readonly pixels?: number;
}

/** The time limit of a run, for a slow machine with four runs at once. One of two cores takes a tenth of it. */
export function timeForMs({ bytes = 0, seconds = 0, pixels = 0 }: Work): number {
  return 1000 * (120 + bytes / 5e6 + seconds / 8 + pixels / 1e7);
}

/** The pixels of two hours of video with the accepted height, 16:9 and 30 frames a second. */
export function maxPixels(maxVideoHeight: number): number {
  return maxVideoHeight ** 2 * (16 / 9) * 30 * 7_200;
}

/** The shorter side of a video counts, so that upright videos have the same limit. @throws JobError `too_large` */
export function rejectTooTall(probe: Probe, maxVideoHeight: number): void {
  const stream = streamOf(probe, 'video');
  const height = Math.min(stream?.width ?? 0, stream?.height ?? 0);
  if (height <= maxVideoHeight) return;
  throw new JobError(failureFor('picturesTooTall', { height, maxHeight: maxVideoHeight }));
}
