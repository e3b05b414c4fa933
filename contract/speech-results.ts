/** An interval of the whole audio, in seconds. */
export interface Span {
  readonly startSeconds: number;
  readonly endSeconds: number;
}

/** A bounded part of the audio, which one activity transcribes: after a crash at most one is repeated. */
export interface SpeechWindow extends Span {
  /** The intervals with speech within the window, in order. */
  readonly speech: readonly Span[];
}

/** A written word with its times in the whole audio. */
export interface Word extends Span {
  readonly text: string;
}

/** An interval with one voice; times in the whole audio. */
export interface VoiceSegment extends Span {
  /** Distinguishes the voices within one window; it has no meaning across windows. */
  readonly localSpeaker: number;
  /** The voice embedding, in the format of the engine. */
  readonly embedding: readonly number[];
}

/** The result of an engine for one window. */
export interface WindowResult {
  /** The language of the words, such as `en`; absent when the engine does not report it. */
  readonly language?: string;
  /** In order of their start. */
  readonly words: readonly Word[];
  /** In order of their start; they may overlap where the engine detects overlapping speech. */
  readonly voices: readonly VoiceSegment[];
}

/** An interval with one speaker. */
export interface SpeakerTurn extends Span {
  /** 0, 1, … in order of appearance. */
  readonly speaker: number;
}
