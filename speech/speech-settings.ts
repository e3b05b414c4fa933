import { z } from 'zod';
import { SHERPA_RELEASES_URL } from './models/catalogue.ts';

const positive = z.coerce.number().int().positive();
const url = z.url({ protocol: /^https?$/ });
/** A folder in another one. */
const modelName = z.string().regex(/^[\w][\w.+-]{0,99}$/, 'a name without slashes');

/** The settings of transcripts with speaker labels, as config.ts declares them. */
export const speechSettings = {
  SPEECH_ENGINE: z
    .enum(['auto', 'sherpa', 'openai', 'builtin'])
    .default('auto')
    .describe('What transcribes and tells speakers apart; `auto`: the best one that is set up, in that order'),
  SPEECH_PYTHON_PATH: z
    .string()
    .optional()
    .describe('Python with the packages of local/engines/speech-requirements.txt, for the builtin speech engine'),
  SPEECH_VAD_MODEL_PATH: z.string().optional().describe("Silero's silero_vad.onnx, which finds speech for all engines"),
  SPEECH_OPENAI_URL: url
    .optional()
    .describe(
      'Base address of an audio transcriptions API, such as https://api.openai.com/v1, for the openai speech engine',
    ),
  SPEECH_OPENAI_KEY: z
    .string()
    .regex(/^[\x21-\x7e]+$/, 'printable ASCII without blanks')
    .optional()
    .describe('Key of that API; local servers need none'),
  SPEECH_OPENAI_MODEL: z.string().min(1).max(200).default('whisper-1').describe('Model that it is asked for'),
  SPEECH_OPENAI_FORMAT: z
    .enum(['auto', 'verbose_json', 'diarized_json', 'json'])
    .default('auto')
    .describe("Form of its answers; `auto`: by the model's name"),
  SPEECH_OPENAI_MAX_SECONDS: z.coerce
    .number()
    .int()
    .min(30)
    .max(300)
    .default(300)
    .describe('Longest audio in one request to it; a second is 32 kB'),
  SPEECH_MODELS_DIR: z
    .string()
    .optional()
    .describe('Folder of the models of the sherpa engine, which npm run models fills; default: DATA_DIR/models'),
  SPEECH_MODELS_URL: url
    .default(SHERPA_RELEASES_URL)
    .describe('Base address of the releases that npm run models fetches from'),
  SPEECH_ASR_MODEL: modelName
    .optional()
    .describe('Folder in SPEECH_MODELS_DIR of the model for words; default: the best that is installed'),
  SPEECH_SEGMENTATION_MODEL: modelName.optional().describe('The same of the model that finds changes of speakers'),
  SPEECH_EMBEDDING_MODEL: modelName.optional().describe('The same of the model that tells voices apart'),
  SPEECH_SPEAKER_DISTANCE: z.coerce
    .number()
    .min(0)
    .max(2)
    .default(0.5)
    .describe('Cosine distance from which the sherpa engine takes two voices for two speakers; greater finds fewer'),
  SPEECH_THREADS: positive.default(1).describe('Cores that the sherpa engine uses for one window'),
  MAX_SPEECH_WINDOWS: positive
    .default(2)
    .describe('Windows of audio that one worker transcribes at once; each needs a core and the memory of its engine'),
  SPEECH_WINDOW_SECONDS: z.coerce
    .number()
    .int()
    .min(10)
    .max(300)
    .default(300)
    .describe('Longest window: what a crash repeats at most, and what decides how much memory it needs'),
};

export type SpeechSettings = z.infer<z.ZodObject<typeof speechSettings>>;
