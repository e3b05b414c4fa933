/** A stretch of time in the whole audio. */
export interface Span {
  readonly startSeconds: number;
  readonly endSeconds: number;
}

/** A bounded part of the audio, the unit of work: after a crash at most one is done again. */
export interface AudioWindow extends Span {
  /** Absolute path of the whole audio as mono 16-bit WAV at 16 kHz, prepared once (prepare.ts). */
  readonly wavPath: string;
  /** Where somebody speaks (regions.ts), in order, within the window. */
  readonly speech: readonly Span[];
}

/** A word as it is written; times in the whole audio. */
export interface Word extends Span {
  readonly text: string;
}

/** A stretch of one voice; times in the whole audio. */
export interface VoiceSegment extends Span {
  /** Tells the voices of one window apart; says nothing about other windows. */
  readonly localSpeaker: number;
  /** What the voice sounds like, in the engine's own terms. */
  readonly embedding: readonly number[];
}

export interface WindowResult {
  /** Language of the words as a code such as `en`; absent when the engine does not tell it. */
  readonly language?: string;
  /** In order of their start. */
  readonly words: readonly Word[];
  /** In order of their start; they may overlap where the engine can tell it. */
  readonly voices: readonly VoiceSegment[];
}

export interface AnalyseOptions {
  /** Code of the language that is spoken, if the caller said so. */
  readonly language?: string;
  readonly signal: AbortSignal;
  /** Called with the share of the window that is done, 0 to 1. */
  readonly onProgress: (share: number) => void;
}

export interface SpeakerLimits {
  readonly minSpeakers?: number;
  readonly maxSpeakers?: number;
}

/** Hears words and voices. One window at a time, so that memory does not grow with the length of the audio. */
export interface SpeechEngine {
  readonly name: string;
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
