import type { SpeechWindow } from '../contract/speech-results.ts';
import type { SpeechEngine } from './speech-engine.ts';
import { findSpeechByLevel, findSpeech, type RegionsOptions } from './regions.ts';
import { coverWindows, cutWindows } from './windows.ts';

export interface FoundWindows {
  readonly durationSeconds: number;
  readonly windows: readonly SpeechWindow[];
  /** True if voice activity detection found nothing and intervals were selected by their sound level. */
  readonly isByLevel: boolean;
}

/** The windows cover the whole audio if the engine detects speech itself, otherwise only the intervals with speech. */
export async function findWindows(
  wavPath: string,
  engine: Pick<SpeechEngine, 'findsSpeech'>,
  { maxSeconds, ...options }: RegionsOptions & { readonly maxSeconds: number },
): Promise<FoundWindows> {
  const regions = await findSpeech(wavPath, options);
  const { durationSeconds } = regions;
  if (engine.findsSpeech === true || regions.speech.length > 0) {
    const cut = engine.findsSpeech === true ? coverWindows : cutWindows;
    return { durationSeconds, windows: cut(regions, maxSeconds), isByLevel: false };
  }
  const windows = cutWindows(await findSpeechByLevel(wavPath, options), maxSeconds);
  return { durationSeconds, windows, isByLevel: windows.length > 0 };
}
