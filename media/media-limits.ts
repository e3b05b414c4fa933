import { failureFor } from '../contract/failures.ts';
import { JobError } from '../runtime/job-error.ts';
import type { Probe } from './probe.ts';

/** What a run of ffmpeg has to do: bytes to copy, seconds of sound to make, pixels of pictures to decode and make. */
export interface Work {
  readonly bytes?: number;
  readonly seconds?: number;
  readonly pixels?: number;
}

/** Time that is enough on a slow machine that does four of them at once; one of two cores takes a tenth of it. */
export function timeForMs({ bytes = 0, seconds = 0, pixels = 0 }: Work): number {
  return 1000 * (120 + bytes / 5e6 + seconds / 8 + pixels / 1e7);
}

/** Two hours of pictures of the tallest size that is accepted, 16:9, of which there are 30 a second. */
export function maxPixels(maxVideoHeight: number): number {
  return maxVideoHeight ** 2 * (16 / 9) * 30 * 7_200;
}

/** Upright pictures are as tall as they are wide when they are turned. @throws JobError `too_large` */
export function rejectTooTall(probe: Probe, maxVideoHeight: number): void {
  const stream = probe.streams.find(({ kind }) => kind === 'video');
  const height = Math.min(stream?.width ?? 0, stream?.height ?? 0);
  if (height <= maxVideoHeight) return;
  throw new JobError(failureFor('picturesTooTall', { height, maxHeight: maxVideoHeight }));
}
