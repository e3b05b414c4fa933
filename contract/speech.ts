/** A stretch of time in the whole audio. */
export interface Span {
  readonly startSeconds: number;
  readonly endSeconds: number;
}

/** A bounded part of the audio, the unit of work: after a crash at most one is done again. */
export interface SpeechWindow extends Span {
  /** Where somebody speaks, in order, within the window. */
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

/** What an engine heard in a window. */
export interface WindowResult {
  /** Language of the words as a code such as `en`; absent when the engine does not tell it. */
  readonly language?: string;
  /** In order of their start. */
  readonly words: readonly Word[];
  /** In order of their start; they may overlap where the engine can tell it. */
  readonly voices: readonly VoiceSegment[];
}

/** A stretch in which one speaker talks. */
export interface Turn extends Span {
  /** 0, 1, … in order of appearance. */
  readonly speaker: number;
}
