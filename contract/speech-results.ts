/** An interval of the whole audio, in seconds. */
export interface Span {
  readonly startSeconds: number;
  readonly endSeconds: number;
}

/** A part of the audio that one activity transcribes. */
export interface SpeechWindow extends Span {
  /** The intervals with speech within the window, in order. */
  readonly speech: readonly Span[];
}

/** A written word with its times in the whole audio. */
export interface Word extends Span {
  readonly text: string;
  /** The probability that the word is right, 0 to 1; absent when the engine does not report it. */
  readonly confidence?: number;
}

/** An interval of the whole audio with one voice. */
export interface VoiceSegment extends Span {
  /** Distinguishes the voices within one window; it has no meaning across windows. */
  readonly localSpeaker: number;
  /** The voice embedding, in the format of the engine. */
  readonly embedding: readonly number[];
}

export interface WindowResult {
  /** The language of the words, such as `en`; absent when the engine does not report it. */
  readonly language?: string;
  /** The probability of that language, 0 to 1; absent when the engine does not report it. */
  readonly languageProbability?: number;
  readonly words: readonly Word[];
  /** They are sorted by their start, and may overlap. */
  readonly voices: readonly VoiceSegment[];
}

/** A voice segment of the whole audio, whose speaker is known. */
export interface SpeakerTurn extends Span {
  /** 0, 1, … in order of appearance. */
  readonly speaker: number;
}
