import { createHash } from 'node:crypto';
import type { Span, SpeechWindow, VoiceSegment, WindowResult } from '../contract/speech-results.ts';

export interface AudioWindow extends SpeechWindow {
  /** Absolute path of the whole audio as mono 16-bit WAV at 16 kHz, as prepare.ts writes it. */
  readonly wavPath: string;
}

export interface AnalyseOptions {
  readonly language?: string | undefined;
  readonly signal: AbortSignal;
  /** Called with the completed share of the window, 0 to 1. */
  readonly onProgress: (share: number) => void;
}

/** Twice the time of a large model on a slow processor, which is an hour for five minutes of audio. */
export function analysisTimeoutMs({ startSeconds, endSeconds }: Span): number {
  return 600_000 + (endSeconds - startSeconds) * 24_000;
}

export interface SpeakerLimits {
  readonly minSpeakers?: number;
  readonly maxSpeakers?: number;
}

export interface Missing {
  /** A sentence that names the settings to change. */
  readonly missing: string;
}

/** Names a Task Queue, so that only workers with the same engine and models process its windows: `sherpa-1f0c9a52`. */
export function engineKeyOf({ name, models = '' }: Pick<SpeechEngine, 'name' | 'models'>): string {
  const hash = createHash('sha256').update(`${name}\n${models}`).digest('hex').slice(0, 8);
  return `${name.replace(/[^\w.-]+/g, '-').slice(0, 60)}-${hash}`;
}

/** Transcribes and distinguishes speakers, one window at a time, so that memory does not grow with the audio. */
export interface SpeechEngine {
  readonly name: string;
  /** The models, if they can differ. Results of different models cannot be combined. */
  readonly models?: string | undefined;
  /** The supported language codes, without script and region; undefined if they are not known in advance. */
  readonly languages?: readonly string[] | undefined;
  /** @throws JobError `unsupported` for an unknown language, `tool_missing`, `internal`; the signal's reason */
  analyse(window: AudioWindow, options: AnalyseOptions): Promise<WindowResult>;
  /** @returns for each window the speaker of each voice, in order of appearance; at least `minSpeakers` if possible */
  cluster(
    windows: readonly (readonly VoiceSegment[])[],
    options: SpeakerLimits & { readonly signal: AbortSignal },
  ): Promise<readonly (readonly number[])[]>;
  /** Ends the processes of the engine. */
  close?(): Promise<void>;
}
