import { JobError } from '../../runtime/job-error.ts';
import type { SpeechWindow } from '../../contract/speech-results.ts';
import { hearingTimeMs } from '../speech-engine.ts';
import { requestLanguageOf } from '../language-codes.ts';
import { cutWav } from '../wav.ts';
import { answerSchema, type TranscriptionAnswer } from './openai-response.ts';
import { answerFailure, exchangeFailure } from './openai-failures.ts';
import { postForm, type Answer } from './post-form.ts';

export type AnswerFormat = 'verbose_json' | 'json' | 'diarized_json';

export interface SpeechServer {
  /** Base address of the API, such as `https://api.openai.com/v1`. It is the operator's, so it may be a private one. */
  readonly baseUrl: string;
  /** Local servers need none. */
  readonly apiKey?: string | undefined;
  readonly model: string;
  /** Wall-clock limit of one request. */
  readonly timeoutMs: number;
}

export interface TranscribeOptions {
  readonly format: AnswerFormat;
  /** BCP 47. */
  readonly language?: string | undefined;
  readonly signal: AbortSignal;
}

/** OpenAI refuses less than 0.1 s, whisper.cpp hears nothing in less than 1 s. */
const MIN_SECONDS = 1.5;

/**
 * Has a part of the audio transcribed by the server: one request, which is not repeated here.
 *
 * @returns times in seconds from the start of the part
 * @throws JobError as failures.ts sorts it, `rate_limited` with the time that the server names; the signal's reason
 */
export async function transcribe(
  server: SpeechServer,
  part: SpeechWindow & { readonly wavPath: string },
  { format, language, signal }: TranscribeOptions,
): Promise<TranscriptionAnswer> {
  const { sizeBytes, chunks } = await cutWav(part.wavPath, part, MIN_SECONDS);
  const url = new URL(`${server.baseUrl.replace(/(?<!\/)\/+$/, '')}/audio/transcriptions`);
  const answer = await postForm(
    url,
    {
      fields: [
        ['model', server.model],
        ['response_format', format],
        ...(language === undefined ? [] : [['language', requestLanguageOf(language)] as const]),
        ...FIELDS[format],
      ],
      file: { name: 'audio.wav', type: 'audio/wav', sizeBytes, chunks },
    },
    {
      headers: server.apiKey === undefined ? {} : { authorization: `Bearer ${server.apiKey}` },
      timeoutMs: Math.min(server.timeoutMs, hearingTimeMs(part)),
      signal,
    },
  ).catch((error: unknown) => {
    signal.throwIfAborted();
    throw exchangeFailure(error);
  });
  // A server may repeat the key that it refuses.
  const text = server.apiKey === undefined ? answer.text : answer.text.replaceAll(server.apiKey, '…');
  return transcriptionIn({ ...answer, text });
}

const FIELDS: Readonly<Record<AnswerFormat, readonly (readonly [string, string])[]>> = {
  verbose_json: [
    ['timestamp_granularities[]', 'word'],
    ['timestamp_granularities[]', 'segment'],
  ],
  json: [],
  // Demanded for more than 30 s.
  diarized_json: [['chunking_strategy', 'auto']],
};

function transcriptionIn(answer: Answer): TranscriptionAnswer {
  if (answer.statusCode !== 200) throw answerFailure(answer);
  let said: unknown;
  try {
    said = JSON.parse(answer.text);
  } catch (error) {
    throw noTranscription(error);
  }
  if (typeof said === 'object' && said !== null && 'error' in said && said.error !== null) {
    throw answerFailure({ ...answer, statusCode: statusIn(said.error) ?? answer.statusCode });
  }
  const parsed = answerSchema.safeParse(said);
  if (!parsed.success) throw noTranscription(parsed.error);
  return parsed.data;
}

/** vLLM says the status in the body, where the answer itself has 200. */
function statusIn(error: unknown): number | undefined {
  const code = typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined;
  return typeof code === 'number' && code >= 400 && code < 600 ? code : undefined;
}

function noTranscription(cause: unknown): JobError {
  return new JobError('upstream_error', 'The speech server gives no transcription.', { cause });
}
