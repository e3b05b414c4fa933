import { open, type FileHandle } from 'node:fs/promises';
import { BYTES_PER_SAMPLE, SAMPLE_RATE, WAV_HEADER_BYTES, wavHeader } from '../../speech/wav.ts';

const SECOND_BYTES = SAMPLE_RATE * BYTES_PER_SAMPLE;

/**
 * Writes a WAV file whose samples say which second they belong to: those of second 7 are 8, silence is 0. So whoever gets a
 * part of it can tell which part.
 *
 * @param spoken which seconds are said; others are silent
 */
export async function writeSpokenSeconds(path: string, seconds: number, spoken: readonly number[]): Promise<void> {
  const file = await open(path, 'w');
  try {
    await file.write(wavHeader(seconds * SECOND_BYTES));
    // What is not written is zero, and takes no space: hours are made at once.
    await file.truncate(WAV_HEADER_BYTES + seconds * SECOND_BYTES);
    for (const second of spoken) await writeSecond(file, second);
  } finally {
    await file.close();
  }
}

async function writeSecond(file: FileHandle, second: number): Promise<void> {
  const samples = new Int16Array(SAMPLE_RATE).fill(second + 1);
  await file.write(Buffer.from(samples.buffer), 0, samples.byteLength, WAV_HEADER_BYTES + second * SECOND_BYTES);
}

/** @returns the seconds that are said in samples, with their time there */
export function spokenSecondsIn(samples: Int16Array): { second: number; startSeconds: number; endSeconds: number }[] {
  const heard: { second: number; startSeconds: number; endSeconds: number }[] = [];
  let from = 0;
  for (let at = 1; at <= samples.length; at += 1) {
    const value = samples[from] ?? 0;
    if (at < samples.length && samples[at] === value) continue;
    if (value > 0) heard.push({ second: value - 1, startSeconds: from / SAMPLE_RATE, endSeconds: at / SAMPLE_RATE });
    from = at;
  }
  return heard;
}
