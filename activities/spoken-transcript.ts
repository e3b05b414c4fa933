import { failureFor, isFailureCode, type Failure } from '../contract/failures.ts';
import { ApiError } from '../contract/http/api-error.ts';
import type { Caller } from '../contract/http/account-schemas.ts';
import type { DownloadRecord, JobResult } from '../contract/download-record.ts';
import type { JobOrder } from '../contract/job-input.ts';
import type { Prices } from '../contract/kinds/configured-prices.ts';
import { keptFacts } from '../contract/kinds/contents.ts';
import { spokenCostOf, type SpeakerLabels } from '../contract/kinds/speaker-labels.ts';
import { transcriptPrice } from '../contract/kinds/transcript.ts';
import type { TranscriptParameters } from '../contract/kinds/transcript-request.ts';
import type { TranscriptFacts, TranscriptLine } from '../contract/kinds/transcript-facts.ts';
import type { KeyStore } from '../store/accounts/key-store.ts';
import { endedRecord, type AwaitedAudioDeps } from './awaited-audio.ts';
import { callerOf } from './caller-of.ts';
import { retryLater } from './retry-later.ts';

export interface SpokenTranscriptDeps extends Omit<AwaitedAudioDeps, 'rendering'> {
  readonly keys: Pick<KeyStore, 'get'>;
  readonly rendering: { readonly prices: Prices };
  /** Starts or joins the transcription, as POST /api/speech does. @returns undefined for media without sound */
  readonly startSpeech: (caller: Caller, order: SpeechOfTranscript) => Promise<DownloadRecord | undefined>;
}

interface SpeechOfTranscript {
  readonly url?: string | undefined;
  readonly vidnet_video_id?: string | undefined;
  readonly language: string | undefined;
  /** The ID of the job, if this order starts it. */
  readonly recordId: string | undefined;
  readonly order: JobOrder;
}

/** The end of a transcription; while it runs, its job. */
export interface SpokenText {
  readonly result?: JobResult;
  readonly failure?: Failure;
  readonly job?: { readonly recordId: string; readonly subjectId: string };
}

/** The transcription of media without captions, by the job of POST /api/speech. All activities are idempotent. */
export function createSpokenTranscriptActivities(deps: SpokenTranscriptDeps) {
  const { records, contents, rendering } = deps;
  const orderOf = async (recordId: string) => {
    const record = await records.get(recordId);
    if (record === undefined) throw new Error(`record ${recordId} is missing`);
    return { record, parameters: record.parameters as TranscriptParameters };
  };
  /** @param speech the finished job; undefined for media without sound */
  const keep = async (recordId: string, speech: DownloadRecord | undefined): Promise<SpokenText> => {
    const { record, parameters } = await orderOf(recordId);
    const lines: TranscriptLine[] = [];
    const labels = speech && (await keptFacts<SpeakerLabels>(contents, speech.id));
    for await (const page of labels?.segments.pages() ?? []) {
      for (const { text, start, duration, speaker } of page)
        lines.push({ startSeconds: start, durationSeconds: duration, text, speaker });
    }
    const known = await contents.facts<TranscriptFacts>(recordId);
    const reason = known?.speech?.reason ?? failureFor('noCaptions').message;
    const url = parameters.url ?? record.mediaId;
    const facts: TranscriptFacts = {
      video: known?.video ?? { link: url, title: url },
      track: { language: (lines.length > 0 ? labels?.language : undefined) ?? 'und', kind: 'speech' },
      lines,
      speech: {
        recordId: speech?.id,
        cost: speech !== undefined && speech.id === parameters.speechId ? spokenCostOf(speech) : 0,
        reason: parameters.mode === 'auto' ? reason : undefined,
      },
    };
    await contents.putFacts(recordId, facts);
    const charge = transcriptPrice(rendering.prices, { ...parameters, mode: 'generate' });
    return { result: { charge, durationSeconds: labels?.durationSeconds } };
  };
  return {
    /** Starts or joins the transcription on behalf of the caller of a transcript. */
    beginSpeech: async (recordId: string): Promise<SpokenText> => {
      const { record, parameters } = await orderOf(recordId);
      const caller = await callerOf(deps.keys, record);
      if (caller === undefined) return { failure: failureFor('keyRevoked') };
      const { url, mode, language, languages, speechId } = parameters;
      const isSpoken = mode === 'generate' && languages === undefined;
      try {
        const speech = await deps.startSpeech(caller, {
          ...(url === undefined ? { vidnet_video_id: record.mediaId } : { url }),
          language: isSpoken ? language : undefined,
          recordId: speechId,
          order: { keepDays: record.keepDays },
        });
        if (speech === undefined) return await keep(recordId, undefined);
        // A job that another request started must not be cancelled together with that.
        if (speech.id !== speechId) await records.noteInterest(speech.id, 'shared');
        return { job: { recordId: speech.id, subjectId: speech.subjectId } };
      } catch (error) {
        if (!(error instanceof ApiError)) throw error;
        const { code, message, extras } = error;
        // Without a time, the service is unavailable because of its settings.
        if (code === 'unavailable' && extras.retryAfterSeconds !== undefined) throw retryLater('internal', message);
        return { failure: { code: isFailureCode(code) ? code : 'unsupported', message } };
      }
    },

    /** Polls once whether the transcription has ended, and then stores its text as the transcript. */
    awaitSpeech: async ({ recordId, speechId }: { recordId: string; speechId: string }): Promise<SpokenText> => {
      const speech = await endedRecord(deps, speechId, 'What is spoken is being transcribed.');
      if (speech?.status === 'success') return keep(recordId, speech);
      return { failure: speech?.failure ?? failureFor('lostInRestore') };
    },
  };
}
