import { createHash } from 'node:crypto';
import type { Span, SpeechWindow, VoiceSegment, WindowResult } from '../contract/speech-results.ts';

/** A window, and where its samples are. */
export interface AudioWindow extends SpeechWindow {
  /** Absolute path of the whole audio as mono 16-bit WAV at 16 kHz, prepared once (prepare.ts). */
  readonly wavPath: string;
}

export interface AnalyseOptions {
  /** Code of the language that is spoken, if the caller said so. */
  readonly language?: string;
  readonly signal: AbortSignal;
  /** Called with the share of the window that is done, 0 to 1. */
  readonly onProgress: (share: number) => void;
}

/** Twice what a large model on a slow processor takes: an hour for a window of five minutes. */
export function hearingTimeMs({ startSeconds, endSeconds }: Span): number {
  return 600_000 + (endSeconds - startSeconds) * 24_000;
}

export interface SpeakerLimits {
  readonly minSpeakers?: number;
  readonly maxSpeakers?: number;
}

/** There is no engine, or not all that it needs. */
export interface Missing {
  /** A sentence that names the settings. */
  readonly missing: string;
}

/**
 * Names an engine with its models: it goes into the name of a task queue, so that only those who have them take the work.
 *
 * @returns such as `sherpa-1f0c9a52`
 */
export function engineKeyOf({ name, models = '' }: Pick<SpeechEngine, 'name' | 'models'>): string {
  const hash = createHash('sha256').update(`${name}\n${models}`).digest('hex').slice(0, 8);
  return `${name.replace(/[^\w.-]+/g, '-').slice(0, 60)}-${hash}`;
}

/** Hears words and voices. One window at a time, so that memory does not grow with the length of the audio. */
export interface SpeechEngine {
  readonly name: string;
  /** What it hears by, where that may differ under one name: what different ones heard can't be joined. */
  readonly models?: string;
  /** Codes of the languages that it may be asked for, without script and region; undefined where only asking tells. */
  readonly languages?: readonly string[] | undefined;
  /** It finds by itself where somebody speaks: its windows cover the whole audio. */
  readonly findsSpeech?: true;
  /** @throws JobError `unsupported` for a language it does not know, `tool_missing`, `internal`; the signal's reason */
  analyse(window: AudioWindow, options: AnalyseOptions): Promise<WindowResult>;
  /**
   * Finds out which voices of different windows are one speaker.
   *
   * @param windows the voices of each window, in order
   * @returns for each window the speaker of each of its voices: 0, 1, … in order of appearance. Fewer than
   * `minSpeakers` only when there are not as many segments
   */
  cluster(
    windows: readonly (readonly VoiceSegment[])[],
    options: SpeakerLimits & { readonly signal: AbortSignal },
  ): Promise<readonly (readonly number[])[]>;
}
