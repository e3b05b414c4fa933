import { JobError } from '../../runtime/job-error.ts';
import { optional } from '../../runtime/optional.ts';
import type { VoiceSegment, WindowResult, Word } from '../../contract/speech-results.ts';
import type { AnalyseOptions, AudioWindow, SpeechEngine } from '../speech-engine.ts';
import { languageCodeOf, languageOf } from '../language-codes.ts';
import { cutWindows, unitedSpeech } from '../windows.ts';
import type { TranscriptionResponse } from './openai-response.ts';
import { diarizedVoices } from './diarized-voices.ts';
import { transcribe, type ResponseFormat, type SpeechServer } from './transcribe.ts';
import { textOf, wordsOf } from './openai-words.ts';

export interface OpenaiSettings extends SpeechServer {
  /** The response format; `auto` selects it by the name of the model. */
  readonly format: ResponseFormat | 'auto';
  /** The longest audio of one request; 300 s are 10 MB. A format that tells speakers apart gets the whole window. */
  readonly maxRequestSeconds: number;
}

/** The longest request if the response has no timestamps, because estimated times are off by seconds in longer ones. */
const UNTIMED_SECONDS = 30;
/** The approximate share of the time that the transcription takes. */
const WORDS_SHARE = 0.7;

/** Another engine detects the voices and identifies speakers in the whole audio. */
export function createOpenaiEngine(settings: OpenaiSettings, voices: SpeechEngine): SpeechEngine {
  const format = settings.format === 'auto' ? formatOf(settings.model) : settings.format;
  return {
    // Embeddings of different engines cannot be compared, so workers that share a job must use the same two engines.
    name: `openai:${settings.model}+${voices.name}`,
    ...optional('models', voices.models),

    async analyse(window, { signal, onProgress, language }) {
      const { voices: segments } = await voices.analyse(window, {
        signal,
        onProgress: (share) => onProgress((1 - WORDS_SHARE) * share),
      });
      if (segments.length === 0) {
        onProgress(1);
        return { words: [], voices: [] };
      }
      const heard = { ...window, speech: unitedSpeech(window.speech, segments) };
      return transcribeWindow(heard, segments, {
        ...optional('language', language),
        signal,
        onProgress: (share) => onProgress(1 - WORDS_SHARE + WORDS_SHARE * share),
      });
    },

    cluster: (windows, options) => voices.cluster(windows, options),
  };

  async function transcribeWindow(
    window: AudioWindow,
    segments: readonly VoiceSegment[],
    { language, signal, onProgress }: AnalyseOptions,
  ): Promise<WindowResult> {
    const options = { format, language, signal };
    if (format === 'diarized_json') {
      const response = await transcribe(settings, window, options);
      onProgress(1);
      const result = resultOf([{ response, words: wordsOf(requireSpeakers(response), window) }], language);
      return { ...result, voices: diarizedVoices(response, window, segments) };
    }
    const parts = cutWindows(window, format === 'json' ? UNTIMED_SECONDS : settings.maxRequestSeconds);
    const results: { response: TranscriptionResponse; words: readonly Word[] }[] = [];
    for (const part of parts) {
      const response = await transcribe(settings, { ...part, wavPath: window.wavPath }, options);
      results.push({ response, words: wordsOf(response, part) });
      onProgress(results.length / parts.length);
    }
    if (parts.length === 0) onProgress(1);
    return { ...resultOf(results, language), voices: segments };
  }
}

function formatOf(model: string): ResponseFormat {
  if (/diarize/i.test(model)) return 'diarized_json';
  return /gpt-.{0,60}transcribe|parakeet/i.test(model) ? 'json' : 'verbose_json';
}

function requireSpeakers(response: TranscriptionResponse): TranscriptionResponse {
  const hasSpeakers = (response.segments ?? []).some(({ speaker }) => speaker !== null && speaker !== undefined);
  if (hasSpeakers || textOf(response).trim() === '') return response;
  throw new JobError('speechWithoutSpeakers');
}

/** @param requested the requested language, which is used because short response formats do not contain one */
function resultOf(
  parts: readonly { readonly response: TranscriptionResponse; readonly words: readonly Word[] }[],
  requested: string | undefined,
): Omit<WindowResult, 'voices'> {
  const results = parts.map(({ response: { language }, words }) => ({
    words,
    voices: [],
    ...optional('language', typeof language === 'string' ? languageCodeOf(language) : undefined),
  }));
  const words = results.flatMap((result) => result.words).sort((a, b) => a.startSeconds - b.startSeconds);
  return { words, ...optional('language', languageOf(results) ?? requested) };
}
