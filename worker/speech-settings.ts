import type { Config } from '../config.ts';
import type { SpeechSettings } from '../speech/choose-engine.ts';

/** A window of 5 minutes with a large model on a slow processor takes about one hour. */
export const SPEECH_TIMEOUT_MS = 4 * 3_600_000;

/** What the configuration says of the speech engines. */
export function speechSettingsOf(config: Config, workFolder: string): SpeechSettings {
  return {
    engine: config.SPEECH_ENGINE,
    python: config.SPEECH_PYTHON_PATH,
    vadModel: config.SPEECH_VAD_MODEL_PATH,
    openai:
      config.SPEECH_OPENAI_URL === undefined
        ? undefined
        : {
            baseUrl: config.SPEECH_OPENAI_URL,
            apiKey: config.SPEECH_OPENAI_KEY,
            model: config.SPEECH_OPENAI_MODEL,
            format: config.SPEECH_OPENAI_FORMAT,
            maxRequestSeconds: config.SPEECH_OPENAI_MAX_SECONDS,
            timeoutMs: SPEECH_TIMEOUT_MS,
          },
    sherpa: {
      modelsDir: config.speechModelsDir,
      asrModel: config.SPEECH_ASR_MODEL,
      segmentationModel: config.SPEECH_SEGMENTATION_MODEL,
      embeddingModel: config.SPEECH_EMBEDDING_MODEL,
      threads: config.SPEECH_THREADS,
      speakerDistance: config.SPEECH_SPEAKER_DISTANCE,
    },
    workFolder,
    timeoutMs: SPEECH_TIMEOUT_MS,
  };
}
