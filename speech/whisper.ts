import { optional } from '../runtime/optional.ts';
import type { SpeechEngine } from './speech-engine.ts';
import { readWavLayout } from './wav.ts';
import { detectedLanguage, requestedLanguage, requestLanguages } from './whisper/whisper-languages.ts';
import { createWhisperProcess, type WhisperSettings } from './whisper/whisper-process.ts';
import { unitedSpeech } from './windows.ts';

export interface WhisperEngineSettings extends WhisperSettings {
  /** The name of the model. */
  readonly model: string;
  /** The codes of the languages that the model knows. */
  readonly languages: readonly string[];
}

/** The approximate share of the time that the transcription takes. */
const WORDS_SHARE = 0.7;

/** Words by faster-whisper. Another engine detects the voices and identifies speakers in the whole audio. */
export function createWhisperEngine(settings: WhisperEngineSettings, voices: SpeechEngine): SpeechEngine {
  const whisper = createWhisperProcess(settings);
  return {
    name: 'whisper',
    models: [settings.model, voices.name, ...(voices.models === undefined ? [] : [voices.models])].join('+'),
    languages: requestLanguages(settings.languages),

    async analyse(window, { language, signal, onProgress }) {
      const code = language === undefined ? undefined : requestedLanguage(language, settings.languages);
      const found = await voices.analyse(window, {
        signal,
        onProgress: (share) => onProgress((1 - WORDS_SHARE) * share),
      });
      const speech = unitedSpeech(window.speech, found.voices);
      // Whisper hallucinates words in noise in which no voice was detected.
      if (found.voices.length === 0 || speech.length === 0) {
        onProgress(1);
        return { words: [], voices: found.voices };
      }
      const { offsetBytes, lengthBytes } = await readWavLayout(window.wavPath);
      const { words, ...transcribed } = await whisper.transcribe(
        {
          ...{ path: window.wavPath, offsetBytes, lengthBytes },
          ...{ startSeconds: window.startSeconds, endSeconds: window.endSeconds },
          speech: speech.map(({ startSeconds, endSeconds }) => [startSeconds, endSeconds]),
          ...optional('language', code),
        },
        signal,
        (share) => onProgress(1 - WORDS_SHARE + WORDS_SHARE * share),
      );
      const detected = optional('language', detectedLanguage(transcribed.language));
      return { words, voices: found.voices, ...detected, languageProbability: transcribed.languageProbability };
    },

    cluster: (windows, options) => voices.cluster(windows, options),
    close: () => whisper.close(),
  };
}
