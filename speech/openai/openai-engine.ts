import { startDeadline } from '../../runtime/deadline.ts';
import { JobError } from '../../runtime/job-error.ts';
import { optional } from '../../runtime/optional.ts';
import type { VoiceSegment, WindowResult, Word } from '../../contract/speech-results.ts';
import type { AnalyseOptions, AudioWindow, SpeechEngine } from '../speech-engine.ts';
import { languageCodeOf, languageOf } from '../language-codes.ts';
import { cutWindows, unitedSpeech } from '../windows.ts';
import type { TranscriptionAnswer } from './openai-response.ts';
import { diarizedVoices } from './diarized-voices.ts';
import { transcribe, type AnswerFormat, type SpeechServer } from './transcribe.ts';
import { textOf, wordsOf } from './openai-words.ts';

export interface OpenaiSettings extends SpeechServer {
  /** What the server is asked for; `auto`: what a model of this name gives. */
  readonly format: AnswerFormat | 'auto';
  /** Longest audio of one request; 600 s are 19 MB. One that tells speakers apart is given the whole window. */
  readonly maxRequestSeconds: number;
}

/**
 * Without times in the answer, a word is off by seconds in a long request, and so given to the wrong speaker. In short
 * ones it is off by less.
 */
const UNTIMED_SECONDS = 30;
/** What takes how much of the time, roughly. */
const WORDS_SHARE = 0.7;

/**
 * Words by a server that has the audio transcriptions API. Voices, and who is who in the whole audio, by another engine,
 * which need not hear words.
 */
export function createOpenaiEngine(settings: OpenaiSettings, voices: SpeechEngine): SpeechEngine {
  const format = settings.format === 'auto' ? formatOf(settings.model) : settings.format;
  return {
    // Embeddings of different engines can't be compared: workers that share a job must have both alike.
    name: `openai:${settings.model}+${voices.name}`,
    ...optional('models', voices.models),
    ...optional('findsSpeech', voices.findsSpeech),

    async analyse(window, { signal, onProgress, language }) {
      const done = { words: 0, voices: 0 };
      const tell = (what: keyof typeof done) => (share: number) => {
        done[what] = share;
        onProgress(WORDS_SHARE * done.words + (1 - WORDS_SHARE) * done.voices);
      };
      const wordsIn = (within: AudioWindow, ended: AbortSignal) =>
        hear(within, { ...optional('language', language), signal: ended, onProgress: tell('words') });
      const voicesIn = async (ended: AbortSignal) =>
        (await voices.analyse(window, { signal: ended, onProgress: tell('voices') })).voices;
      if (voices.findsSpeech !== true) {
        const [heard, segments] = await together(signal, (both) => wordsIn(window, both), voicesIn);
        return { ...heard.result, voices: heard.diarized?.(segments) ?? segments };
      }
      const segments = await voicesIn(signal);
      if (segments.length === 0) {
        onProgress(1);
        return { words: [], voices: [] };
      }
      const heard = await wordsIn({ ...window, speech: unitedSpeech(window.speech, segments) }, signal);
      return { ...heard.result, voices: heard.diarized?.(segments) ?? segments };
    },

    cluster: (windows, options) => voices.cluster(windows, options),
  };

  async function hear(
    window: AudioWindow,
    { language, signal, onProgress }: AnalyseOptions,
  ): Promise<{
    result: Omit<WindowResult, 'voices'>;
    diarized?: (segments: readonly VoiceSegment[]) => readonly VoiceSegment[];
  }> {
    const ask = { format, language, signal };
    if (format === 'diarized_json') {
      const answer = await transcribe(settings, window, ask);
      onProgress(1);
      return {
        result: resultOf([{ answer, words: wordsOf(speakersTold(answer), window) }], language),
        diarized: (segments) => diarizedVoices(answer, window, segments),
      };
    }
    const parts = cutWindows(window, format === 'json' ? UNTIMED_SECONDS : settings.maxRequestSeconds);
    const heard: { answer: TranscriptionAnswer; words: readonly Word[] }[] = [];
    for (const part of parts) {
      const answer = await transcribe(settings, { ...part, wavPath: window.wavPath }, ask);
      heard.push({ answer, words: wordsOf(answer, part) });
      onProgress(heard.length / parts.length);
    }
    if (parts.length === 0) onProgress(1);
    return { result: resultOf(heard, language) };
  }
}

function formatOf(model: string): AnswerFormat {
  if (/diarize/i.test(model)) return 'diarized_json';
  return /gpt-.{0,60}transcribe|parakeet/i.test(model) ? 'json' : 'verbose_json';
}

/** @throws JobError `tool_missing` when no segment has a speaker */
function speakersTold(answer: TranscriptionAnswer): TranscriptionAnswer {
  const isTold = (answer.segments ?? []).some(({ speaker }) => speaker !== null && speaker !== undefined);
  if (isTold || textOf(answer).trim() === '') return answer;
  throw new JobError(
    'tool_missing',
    'The speech server does not tell speakers apart; the operator must check SPEECH_OPENAI_FORMAT.',
  );
}

/** @param wanted the language that the server was told; it says none itself in short forms of its answer */
function resultOf(
  heard: readonly { readonly answer: TranscriptionAnswer; readonly words: readonly Word[] }[],
  wanted: string | undefined,
): Omit<WindowResult, 'voices'> {
  const results = heard.map(({ answer: { language }, words }) => ({
    words,
    voices: [],
    ...optional('language', typeof language === 'string' ? languageCodeOf(language) : undefined),
  }));
  const words = results.flatMap((result) => result.words).sort((a, b) => a.startSeconds - b.startSeconds);
  return { words, ...optional('language', languageOf(results) ?? wanted) };
}

/** Runs two things beside each other; when one fails the other is ended, and its end awaited: nothing runs on unseen. */
async function together<A, B>(
  signal: AbortSignal,
  first: (signal: AbortSignal) => Promise<A>,
  second: (signal: AbortSignal) => Promise<B>,
): Promise<[A, B]> {
  signal.throwIfAborted();
  const deadline = startDeadline({ signal });
  const running = [first(deadline.signal), second(deadline.signal)] as const;
  try {
    return await Promise.all(running);
  } catch (error) {
    deadline.abort(error);
    await Promise.allSettled(running);
    throw error;
  } finally {
    deadline.end();
  }
}
