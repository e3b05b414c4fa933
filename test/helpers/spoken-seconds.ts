import { open, type FileHandle } from 'node:fs/promises';

const RATE = 16_000;

/**
 * Writes a WAV file whose samples say which second they belong to: those of second 7 are 8, silence is 0. So whoever gets a
 * part of it can tell which part.
 *
 * @param spoken which seconds are said; others are silent
 */
export async function writeSpokenSeconds(path: string, seconds: number, spoken: readonly number[]): Promise<void> {
  const file = await open(path, 'w');
  try {
    await file.write(headerOf(seconds));
    // What is not written is zero, and takes no space: hours are made at once.
    await file.truncate(44 + seconds * RATE * 2);
    for (const second of spoken) await writeSecond(file, second);
  } finally {
    await file.close();
  }
}

async function writeSecond(file: FileHandle, second: number): Promise<void> {
  const samples = new Int16Array(RATE).fill(second + 1);
  await file.write(Buffer.from(samples.buffer), 0, samples.byteLength, 44 + second * RATE * 2);
}

/** @returns the seconds that are said in samples, with their time there */
export function spokenSecondsIn(samples: Int16Array): { second: number; startSeconds: number; endSeconds: number }[] {
  const heard: { second: number; startSeconds: number; endSeconds: number }[] = [];
  let from = 0;
  for (let at = 1; at <= samples.length; at += 1) {
    const value = samples[from] ?? 0;
    if (at < samples.length && samples[at] === value) continue;
    if (value > 0) heard.push({ second: value - 1, startSeconds: from / RATE, endSeconds: at / RATE });
    from = at;
  }
  return heard;
}

function headerOf(seconds: number): Buffer {
  const header = Buffer.alloc(44);
  header.write('RIFF');
  header.writeUInt32LE(36 + seconds * RATE * 2, 4);
  header.write('WAVEfmt ', 8);
  header.writeUInt32LE(16, 16);
  header.writeUInt16LE(1, 20);
  header.writeUInt16LE(1, 22);
  header.writeUInt32LE(RATE, 24);
  header.writeUInt32LE(RATE * 2, 28);
  header.writeUInt16LE(2, 32);
  header.writeUInt16LE(16, 34);
  header.write('data', 36);
  header.writeUInt32LE(seconds * RATE * 2, 40);
  return header;
}
