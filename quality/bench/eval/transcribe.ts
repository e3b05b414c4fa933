import { join } from 'node:path';
import type { SpeechEngine } from '../../../speech/speech-engine.ts';
import { joinWords } from '../../../speech/join-words.ts';
import { prepareWav } from '../../../speech/prepare.ts';
import { findSpeech } from '../../../speech/regions.ts';
import { speakerTurnsOf } from '../../../speech/voice-segments.ts';
import { coverWindows } from '../../../speech/windows.ts';

const TIMEOUT_MS = 6 * 3_600_000;

export type Transcript = Awaited<ReturnType<typeof transcribe>>;

export interface Tools {
  readonly ffmpeg: string;
  readonly vadModel: string;
  readonly engine: SpeechEngine;
  readonly workFolder: string;
}

/** The whole way of one recording, one window after the other. */
export async function transcribe(
  path: string,
  { ffmpeg, vadModel, engine, workFolder }: Tools,
  onProgress: (stage: string, share: number) => void,
) {
  const { signal } = new AbortController();
  const wavPath = join(workFolder, 'audio.wav');
  onProgress('preparing', 0);
  await prepareWav(path, wavPath, { ffmpeg, signal, timeoutMs: TIMEOUT_MS, maxSeconds: 24 * 3600 });
  const found = await findSpeech(wavPath, {
    vadModel,
    signal,
    timeoutMs: TIMEOUT_MS,
    onProgress: (share) => onProgress('finding speech', share),
  });
  const windows = coverWindows(found, 300).map((window) => ({ ...window, wavPath }));
  const results = [];
  for (const [i, window] of windows.entries()) {
    const share = (part: number): void => onProgress('listening', (i + part) / windows.length);
    results.push(await engine.analyse(window, { signal, onProgress: share }));
  }
  onProgress('telling speakers apart', 0);
  const voices = results.map((result) => result.voices);
  const voiceSegments = speakerTurnsOf(voices, await engine.cluster(voices, { signal }));
  const words = results.flatMap((result) => result.words);
  return {
    durationSeconds: found.durationSeconds,
    voiceSegments,
    words,
    segments: await joinWords(words, voiceSegments),
  };
}
