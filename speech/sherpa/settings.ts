import type { SherpaModels, VoiceModels } from './find-models.ts';

export interface SherpaSettings {
  /** Of find-models.ts. Without a recogniser the engine tells voices and no words. */
  readonly models: SherpaModels | VoiceModels;
  /** Absolute path of a folder for short-lived files. */
  readonly workFolder: string;
  /** Wall-clock limit of one window. */
  readonly timeoutMs: number;
  /** Cores that one window uses. */
  readonly threads: number;
  /** Cosine distance, 0 to 2, from which two voices are two speakers. */
  readonly speakerDistance: number;
}
