import { writeFile } from 'node:fs/promises';
import type { Span } from '../../contract/speech-results.ts';
import { SAMPLE_RATE, wavHeader } from '../../speech/wav.ts';

/** Two voices for the tiny models, which distinguish loudness and pitch. */
const VOICES = { soft: { hertz: 300, level: 0.05 }, loud: { hertz: 1_900, level: 0.5 } };

export interface Tone {
  /** Undefined for silence. */
  readonly voice?: keyof typeof VOICES;
  readonly seconds: number;
}

/** Alternates the voices, with pauses between them. */
export function conversation(tones: number): Tone[] {
  return Array.from({ length: tones }, (_, i): Tone[] => [
    { voice: i % 2 === 0 ? 'soft' : 'loud', seconds: 3 },
    { seconds: 0.6 },
  ]).flat();
}

/** Writes tones in the format of prepare.ts. @returns the intervals with tones, and the duration */
export async function writeTones(path: string, tones: readonly Tone[]): Promise<{ speech: Span[]; seconds: number }> {
  const seconds = tones.reduce((sum, tone) => sum + tone.seconds, 0);
  const samples = new Int16Array(Math.round(seconds * SAMPLE_RATE));
  const speech: Span[] = [];
  let at = 0;
  for (const { voice, seconds: length } of tones) {
    if (voice !== undefined) {
      const { hertz, level } = VOICES[voice];
      speech.push({ startSeconds: at, endSeconds: at + length });
      for (let i = Math.round(at * SAMPLE_RATE); i < Math.round((at + length) * SAMPLE_RATE); i++) {
        samples[i] = Math.round(level * 32_767 * Math.sin((2 * Math.PI * hertz * i) / SAMPLE_RATE));
      }
    }
    at += length;
  }
  await writeFile(path, Buffer.concat([wavHeader(samples.byteLength), Buffer.from(samples.buffer)]));
  return { speech, seconds };
}
