import { JobError } from '../../runtime/job-error.ts';
import { parseJson } from '../../runtime/parse-json.ts';
import type { SpeechWindow } from '../../contract/speech-results.ts';
import { analysisTimeoutMs } from '../speech-engine.ts';
import { requestLanguageOf } from '../language-codes.ts';
import { cutWav } from '../wav.ts';
import { transcriptionSchema, type TranscriptionResponse } from './openai-response.ts';
import { responseError, connectionError } from './openai-failures.ts';
import { postForm, type FormResponse } from './post-form.ts';

export type ResponseFormat = 'verbose_json' | 'json' | 'diarized_json';

export interface SpeechServer {
  /** May be a private address. */
  readonly baseUrl: string;
  readonly apiKey?: string | undefined;
  readonly model: string;
  readonly timeoutMs: number;
}

export interface TranscribeOptions {
  readonly format: ResponseFormat;
  /** BCP 47. */
  readonly language?: string | undefined;
  readonly signal: AbortSignal;
}

/** OpenAI rejects less than 0.1 s, and whisper.cpp transcribes nothing shorter than 1 s. */
const MIN_SECONDS = 1.5;

/** Sends one request, without retries. @throws JobError; `rate_limited` has the time that the server names */
export async function transcribe(
  server: SpeechServer,
  part: SpeechWindow & { readonly wavPath: string },
  { format, language, signal }: TranscribeOptions,
): Promise<TranscriptionResponse> {
  const { sizeBytes, chunks } = await cutWav(part.wavPath, part, MIN_SECONDS);
  const url = new URL(`${server.baseUrl.replace(/(?<!\/)\/+$/, '')}/audio/transcriptions`);
  const response = await postForm(
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
      timeoutMs: Math.min(server.timeoutMs, analysisTimeoutMs(part)),
      signal,
    },
  ).catch((error: unknown) => {
    signal.throwIfAborted();
    throw connectionError(error);
  });
  // A server may repeat the rejected key in its response.
  const text = server.apiKey === undefined ? response.text : response.text.replaceAll(server.apiKey, '…');
  return parseTranscription({ ...response, text });
}

const FIELDS: Readonly<Record<ResponseFormat, readonly (readonly [string, string])[]>> = {
  verbose_json: [
    ['timestamp_granularities[]', 'word'],
    ['timestamp_granularities[]', 'segment'],
  ],
  json: [],
  // OpenAI requires this field for more than 30 s of audio.
  diarized_json: [['chunking_strategy', 'auto']],
};

function parseTranscription(response: FormResponse): TranscriptionResponse {
  if (response.statusCode !== 200) throw responseError(response);
  const body = parseJson(response.text);
  if (typeof body === 'object' && body !== null && 'error' in body && body.error !== null) {
    throw responseError({ ...response, statusCode: statusOf(body.error) ?? response.statusCode });
  }
  const parsed = transcriptionSchema.safeParse(body);
  if (!parsed.success) throw new JobError('speechServerUnreadable', { cause: parsed.error });
  return parsed.data;
}

/** vLLM responds with HTTP 200 to some failed requests. */
function statusOf(error: unknown): number | undefined {
  const code = typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined;
  return typeof code === 'number' && code >= 400 && code < 600 ? code : undefined;
}
