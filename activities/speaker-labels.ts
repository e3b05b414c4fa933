import { failureFor } from '../contract/failures.ts';
import { MissingContentsError } from '../contract/kinds/contents.ts';
import { unknownLanguage } from '../contract/text/language-tags.ts';
import { JobError } from '../runtime/job-error.ts';
import { percentOf } from '../runtime/percent.ts';
import { transcribedWindows } from '../runtime/telemetry/diagnostics.ts';
import type { JobResult } from '../contract/download-record.ts';
import type { Span, WindowResult } from '../contract/speech-results.ts';
import type { Speech } from '../speech/choose-engine.ts';
import { engineKeyOf } from '../speech/speech-engine.ts';
import { joinWords } from '../speech/join-words.ts';
import { languageOf, probabilityOf } from '../speech/language-codes.ts';
import { findSpeech } from '../speech/regions.ts';
import { speakerTurnsOf } from '../speech/voice-segments.ts';
import { coverWindows } from '../speech/windows.ts';
import type { ContentsStore } from '../store/records/contents-store.ts';
import { classifyFailures } from './to-application-failure.ts';
import { withHeartbeat } from './heartbeat.ts';
import {
  audioWith,
  preparedAudio,
  rejectPartialAudio,
  type KeptWindow,
  type PreparedAudioDeps,
  type SpeechOrder,
} from './prepared-audio.ts';
import { withSourceCall, type SourceCallDeps } from './source-call.ts';
import { titled } from './record-title.ts';

export interface SpeechDeps extends PreparedAudioDeps, Pick<SourceCallDeps, 'workFolders'> {
  readonly speech: Speech;
  readonly contents: ContentsStore;
  readonly speechTimeoutMs: number;
  readonly speechWindowSeconds: number;
}

export interface PreparedSpeech {
  readonly windows: number;
  readonly durationSeconds: number;
  /** One engine analyses all windows, because voices of different engines cannot be compared. */
  readonly engine: string;
  /** Identifies the engine with its models. */
  readonly engineKey: string;
}

export interface WindowOrder extends SpeechOrder {
  /** Starts at 1. */
  readonly number: number;
  readonly engine: string;
  readonly engineKey: string;
}

/** The stored result of a window. A result of another engine is not used. */
interface KeptResult extends WindowResult {
  readonly origin: Span & { readonly engineKey: string };
}

export function createSpeechActivities(deps: SpeechDeps) {
  const callDeps = { workFolders: deps.workFolders, fetchTimeoutMs: deps.speechTimeoutMs };
  return {
    /** Prepares the audio, detects speech, cuts it into windows and stores their list. */
    prepareSpeech: (order: SpeechOrder): Promise<PreparedSpeech> =>
      withSourceCall(callDeps, order.recordId, async (call) => {
        const { report, signal } = call;
        const { engine, vadModel } = present(deps.speech);
        const failure = order.language === undefined ? undefined : unknownLanguage(order.language, engine.languages);
        if (failure !== undefined) throw new JobError(failure);
        report({ stage: 'preparing' });
        const { wavPath, taken } = await preparedAudio(deps, order, call);
        const regions = await findSpeech(wavPath, {
          vadModel,
          signal,
          timeoutMs: deps.speechTimeoutMs,
          onProgress: (share) => report({ stage: 'detecting_speech', percent: percentOf(share) }),
        });
        const { durationSeconds } = regions;
        const windows = coverWindows(regions, deps.speechWindowSeconds);
        const isGapless = await rejectPartialAudio(deps, order, durationSeconds);
        await keepWindows(
          deps.contents,
          order.recordId,
          windows.map((window) => ({ ...window, taken: isGapless ? taken : undefined })),
        );
        return { windows: windows.length, durationSeconds, engine: engine.name, engineKey: engineKeyOf(engine) };
      }),

    /**
     * Transcribes a window and stores its words and voices. A stored result is not computed again, since a worker may have
     * died before it reported it.
     */
    transcribeWindow: (order: WindowOrder): Promise<{ readonly words: number; readonly voices: number }> =>
      withSourceCall(callDeps, order.recordId, async (call) => {
        const { report, signal } = call;
        const { recordId, number } = order;
        const piece = { recordId, name: 'speech_results', number };
        const window = await windowOf(deps.contents, order);
        let [result] = (await deps.contents.piece<KeptResult>(piece)) ?? [];
        if (result === undefined || !isOf(result, order, window)) {
          const { engine } = present(deps.speech);
          report({ stage: 'transcribing', percent: 0 });
          const wavPath = await audioWith(window, deps, { order, call });
          const beganMs = performance.now();
          const { startSeconds, endSeconds, speech } = window;
          const analysed = await engine.analyse(
            { startSeconds, endSeconds, speech, wavPath },
            {
              language: order.language,
              signal,
              onProgress: (share) => report({ stage: 'transcribing', percent: percentOf(share) }),
            },
          );
          transcribedWindows.publish({
            engine: engine.name,
            audioSeconds: endSeconds - startSeconds,
            seconds: (performance.now() - beganMs) / 1000,
          });
          const origin = { startSeconds, endSeconds, engineKey: engineKeyOf(engine) };
          result = { ...analysed, origin };
          await deps.contents.putPiece(piece, [result]);
        }
        return { words: result.words.length, voices: result.voices.length };
      }),

    /** Finds the speakers of the whole audio, assigns each word to one, and stores the transcript. */
    labelSpeakers: (order: SpeechOrder & PreparedSpeech): Promise<JobResult> =>
      classifyFailures(() =>
        withHeartbeat(async (report, signal) => {
          const { recordId, durationSeconds, minSpeakers = 1, maxSpeakers = Infinity } = order;
          const { engine } = present(deps.speech);
          report({ stage: 'diarizing' });
          const results = await resultsOf(deps.contents, order);
          const voices = results.map((result) => result.voices);
          const language = languageOf(results);
          const speakers = await engine.cluster(voices, { minSpeakers, maxSpeakers, signal });
          const speakerTurns = speakerTurnsOf(voices, speakers);
          const segments = await joinWords(
            results.flatMap((result) => result.words),
            speakerTurns,
          );
          await deps.contents.putFacts(recordId, {
            engine: engine.name,
            language,
            languageProbability: language === undefined ? undefined : probabilityOf(language, results),
            durationSeconds,
            segments,
            speakerTurns,
          });
          const audio = await deps.records.get(order.audioId);
          const title = audio?.status === 'success' ? audio.title : undefined;
          // Audio without speech is free of charge (design, section 3).
          return { durationSeconds, ...titled(title), ...(segments.length === 0 ? { charge: 0 } : {}) };
        }),
      ),
  };
}

export function createSpeechRemains({ contents, speechAudio }: Pick<SpeechDeps, 'contents' | 'speechAudio'>) {
  return {
    /** Removes the intermediate data of a transcription. Other machines remove theirs when a worker starts. */
    async clearSpeech(recordId: string): Promise<void> {
      await speechAudio.remove(recordId);
      const windows = (await contents.piece({ recordId, name: 'speech_windows', number: 1 })) ?? [];
      await contents.removePieces({ recordId, name: 'speech_results' }, windows.length);
      await contents.removePieces({ recordId, name: 'speech_windows' }, 1);
    },
  };
}

function present(speech: Speech): Exclude<Speech, { readonly missing: string }> {
  if ('missing' in speech) throw new JobError(failureFor('speechUnavailable', { problem: speech.missing }));
  return speech;
}

async function keepWindows(contents: ContentsStore, recordId: string, windows: readonly KeptWindow[]): Promise<void> {
  const before = await windowsOf(contents, recordId);
  // Results beyond the last window would never be removed.
  if (before.length > windows.length) await contents.removePieces({ recordId, name: 'speech_results' }, before.length);
  await contents.putPiece({ recordId, name: 'speech_windows', number: 1 }, windows);
}

async function windowsOf(contents: ContentsStore, recordId: string): Promise<readonly KeptWindow[]> {
  return (await contents.piece<KeptWindow>({ recordId, name: 'speech_windows', number: 1 })) ?? [];
}

async function windowOf(contents: ContentsStore, { recordId, number }: WindowOrder): Promise<KeptWindow> {
  const window = (await windowsOf(contents, recordId))[number - 1];
  if (window === undefined) throw new Error(`window ${number} of record ${recordId} is missing`);
  return window;
}

function isOf({ origin }: KeptResult, { engineKey }: Pick<WindowOrder, 'engineKey'>, window: Span): boolean {
  const { startSeconds, endSeconds } = window;
  return origin.engineKey === engineKey && origin.startSeconds === startSeconds && origin.endSeconds === endSeconds;
}

async function resultsOf(
  contents: ContentsStore,
  order: SpeechOrder & PreparedSpeech,
): Promise<readonly WindowResult[]> {
  const { recordId } = order;
  const windows = await windowsOf(contents, recordId);
  const results: WindowResult[] = [];
  for (let number = 1; number <= order.windows; number += 1) {
    const [result] = (await contents.piece<KeptResult>({ recordId, name: 'speech_results', number })) ?? [];
    const window = windows[number - 1];
    if (result === undefined || window === undefined || !isOf(result, order, window)) {
      throw new MissingContentsError(`${recordId}/speech_results/${number}`);
    }
    results.push(result);
  }
  return results;
}
