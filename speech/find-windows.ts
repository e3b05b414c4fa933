import type { SpeechWindow } from '../contract/speech-results.ts';
import type { SpeechEngine } from './speech-engine.ts';
import { findByLevel, findSpeech, type RegionsOptions } from './regions.ts';
import { coverWindows, cutWindows } from './windows.ts';

export interface FoundWindows {
  readonly durationSeconds: number;
  readonly windows: readonly SpeechWindow[];
  /** Nobody was heard; what may be voices was taken for speech by its level. */
  readonly isByLevel: boolean;
}

/**
 * Cuts the audio into what an engine hears: all of it where the engine finds speech by itself, else where somebody speaks.
 *
 * @param wavPath absolute path of a file that prepare.ts wrote
 * @param options `maxSeconds`: longest window
 * @throws JobError `internal`; the signal's reason
 */
export async function findWindows(
  wavPath: string,
  engine: Pick<SpeechEngine, 'findsSpeech'>,
  { maxSeconds, ...options }: RegionsOptions & { readonly maxSeconds?: number },
): Promise<FoundWindows> {
  const regions = await findSpeech(wavPath, options);
  const { durationSeconds } = regions;
  if (engine.findsSpeech === true) {
    return { durationSeconds, windows: coverWindows(regions, maxSeconds), isByLevel: false };
  }
  if (regions.speech.length > 0) {
    return { durationSeconds, windows: cutWindows(regions, maxSeconds), isByLevel: false };
  }
  const windows = cutWindows(await findByLevel(wavPath, options), maxSeconds);
  return { durationSeconds, windows, isByLevel: windows.length > 0 };
}
