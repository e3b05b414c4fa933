import { createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { RttmSegment } from '../../../contract/text/rttm.ts';
import { BYTES_PER_SAMPLE, SAMPLE_RATE, wavHeader } from '../../../speech/wav.ts';
import { samplesOf, type Recording } from './recordings.ts';

const PAUSE_SECONDS = 5;

/**
 * Joins recordings with pauses, again and again up to a length, because speakers must keep their labels over a long time.
 * A recording that would exceed the length is left out.
 */
export async function joinRecordings(
  recordings: readonly Recording[],
  { minutes, folder, ffmpeg }: { readonly minutes: number; readonly folder: string; readonly ffmpeg: string },
): Promise<Recording> {
  const name = `joined-${String(minutes)}-min`;
  const reference: RttmSegment[] = [];
  const parts: Int16Array[] = [];
  const decoded = await Promise.all(
    recordings.map(({ path, name: own }) => samplesOf(path, join(folder, `${own}.tmp`), ffmpeg)),
  );
  const pause = new Int16Array(PAUSE_SECONDS * SAMPLE_RATE);
  let length = 0;
  for (let round = 0; ; round += 1) {
    const index = round % recordings.length;
    const [samples, recording] = [decoded[index], recordings[index]];
    if (samples === undefined || recording === undefined) break;
    if (length + samples.length > minutes * 60 * SAMPLE_RATE) break;
    const at = length / SAMPLE_RATE;
    for (const { speaker, startSeconds, endSeconds } of recording.reference) {
      reference.push({ file: name, speaker, startSeconds: at + startSeconds, endSeconds: at + endSeconds });
    }
    parts.push(samples, pause);
    length += samples.length + pause.length;
  }
  const path = join(folder, `${name}.wav`);
  const bytes = parts.map(({ buffer, byteOffset, byteLength }) => new Uint8Array(buffer, byteOffset, byteLength));
  await pipeline(Readable.from([wavHeader(length * BYTES_PER_SAMPLE), ...bytes]), createWriteStream(path));
  return { name, path, reference };
}
