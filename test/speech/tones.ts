import { writeFile } from 'node:fs/promises';
import type { Span } from '../../contract/speech.ts';

const RATE = 16_000;
/** Two voices, as the tiny models take them: they go by loudness and pitch. */
const VOICES = { soft: { hertz: 300, level: 0.05 }, loud: { hertz: 1_900, level: 0.5 } };

export interface Tone {
  /** Undefined: silence. */
  readonly voice?: keyof typeof VOICES;
  readonly seconds: number;
}

/** Turns of both voices with pauses between them. */
export function conversation(turns: number): Tone[] {
  return Array.from({ length: turns }, (_, i): Tone[] => [
    { voice: i % 2 === 0 ? 'soft' : 'loud', seconds: 3 },
    { seconds: 0.6 },
  ]).flat();
}

/** Writes tones as prepare.ts writes audio. @returns where somebody "speaks", and how long it is */
export async function writeTones(path: string, tones: readonly Tone[]): Promise<{ speech: Span[]; seconds: number }> {
  const seconds = tones.reduce((sum, tone) => sum + tone.seconds, 0);
  const samples = new Int16Array(Math.round(seconds * RATE));
  const speech: Span[] = [];
  let at = 0;
  for (const { voice, seconds: length } of tones) {
    if (voice !== undefined) {
      const { hertz, level } = VOICES[voice];
      speech.push({ startSeconds: at, endSeconds: at + length });
      for (let i = Math.round(at * RATE); i < Math.round((at + length) * RATE); i++) {
        samples[i] = Math.round(level * 32_767 * Math.sin((2 * Math.PI * hertz * i) / RATE));
      }
    }
    at += length;
  }
  const header = Buffer.alloc(44);
  header.write('RIFF', 0, 'latin1');
  header.writeUInt32LE(36 + samples.byteLength, 4);
  header.write('WAVEfmt ', 8, 'latin1');
  header.writeUInt32LE(16, 16);
  header.writeUInt16LE(1, 20);
  header.writeUInt16LE(1, 22);
  header.writeUInt32LE(RATE, 24);
  header.writeUInt32LE(RATE * 2, 28);
  header.writeUInt16LE(2, 32);
  header.writeUInt16LE(16, 34);
  header.write('data', 36, 'latin1');
  header.writeUInt32LE(samples.byteLength, 40);
  await writeFile(path, Buffer.concat([header, Buffer.from(samples.buffer)]));
  return { speech, seconds };
}
