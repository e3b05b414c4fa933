import { z } from 'zod';
import { awaitedAudioSchema, awaitedBy } from './awaited-audio.ts';
import { costOf } from './charges.ts';
import { keptFacts } from './contents.ts';
import { factsRecordSchema, renderFactsRecord } from '../http/download-schemas.ts';
import { jobFields, moneySchema, progressSchema, type Progress } from '../http/fields.ts';
import { ulidSchema } from '../ids.ts';
import { FAILED_IS_ADDED, failedResultSchema, renderFailed } from '../http/job-answers.ts';
import type { JobInput } from '../job-input.ts';
import type { Kind, PricesOf, RenderContext } from './kind.ts';
import { formatMoney, type Thousandths } from '../money.ts';
import type { DownloadRecord } from '../download-record.ts';
import { hintsOf, speechHintsShape, speechParametersShape, usedHintsSchema } from '../speech-hints.ts';
import type { SpeakerTurn } from '../speech-results.ts';
import type { Streamable } from '../http/streams.ts';
import { toMilliseconds } from '../text/times.ts';
import { jobBaseSchema, shortcodeSchema } from '../job-schema.ts';
import { speakerNamesOf, speakerNamesSchema } from './speaker-names.ts';
import { speakerLabelsSample } from './speaker-labels-sample.ts';

/** Specification, section 4.3; the hints are an addition. Unknown fields are ignored. */
export const speakerLabelsRequestSchema = z
  .object({
    transcript_with_speaker_id: ulidSchema.describe('`transcript_speaker_id` of a download with sound'),
    ...jobFields,
    ...speechHintsShape,
  })
  .meta({ id: 'SpeakerLabelsRequest' });
export type SpeakerLabelsRequest = z.infer<typeof speakerLabelsRequestSchema>;

/** The parameters of a job that labels the speakers in the audio of another record. */
export const speakerLabelsParametersSchema = z.object({
  /** The id of the audio record: its `transcript_speaker_id`. */
  audioId: ulidSchema,
  awaits: awaitedAudioSchema.optional(),
  ...speechParametersShape,
});
export type SpeakerLabelsParameters = Readonly<z.infer<typeof speakerLabelsParametersSchema>>;
export type SpeakerLabelsJob = JobInput & { readonly parameters: SpeakerLabelsParameters };

const confidenceSchema = z.number().min(0).max(1);
const IF_REPORTED = 'absent when the engine does not report it';

export const spokenSegmentSchema = z
  .object({
    text: z.string(),
    start: z.number().min(0).describe('Seconds'),
    duration: z.number().min(0).describe('Seconds'),
    speaker: z.string().meta({ description: 'Label, in order of appearance', examples: ['Speaker 1'] }),
    confidence: confidenceSchema.optional().describe(`The mean over the words; ${IF_REPORTED}`),
  })
  .meta({ id: 'SpokenSegment' });
export type SpokenSegment = z.infer<typeof spokenSegmentSchema>;

/** The stored form of a segment; times are rounded to the millisecond. */
export interface KeptSegment extends Omit<SpokenSegment, 'confidence'> {
  /** The start of each word of the text in seconds. Words are separated by spaces. */
  readonly wordStarts: readonly number[];
  /** The probability of each word, 0 to 1. Absent when the engine does not report it. */
  readonly wordConfidences?: readonly number[];
}

export interface SpeakerLabels {
  /** The name of the engine. Absent when there is no audio. */
  readonly engine?: string;
  /** The language of the words, such as `en`; absent if the engine does not report it. */
  readonly language?: string | undefined;
  /** 0 to 1; absent if the engine does not report it. */
  readonly languageProbability?: number | undefined;
  /** The duration of the whole audio. */
  readonly durationSeconds: number;
  /** Empty if there is no speech. */
  readonly segments: readonly KeptSegment[];
  /** The intervals with one speaker, including those without words, in order of their start. */
  readonly speakerTurns: readonly SpeakerTurn[];
}

const subjectFields = {
  transcript_speaker_id: ulidSchema.describe('The id of the audio, as in the request'),
  media_id: z.string(),
  transcript_speaker_cost: moneySchema,
};
const costField = moneySchema
  .optional()
  .describe(
    'The price of a request that had the audio fetched: the audio and its labels. Until the audio is there, at least this',
  );

/** The transcript with speaker labels (specification, section 2.8). */
export const speakerLabelsSchema = z
  .object({
    status: z.literal('success'),
    message: z.string().optional().describe('Present when there is no speech'),
    ...subjectFields,
    cost: costField,
    download_id: ulidSchema.optional().describe('The job; absent when none was needed'),
    data: z.object({
      transcriptsWithTimeStamps: z.array(spokenSegmentSchema).describe('Empty when there is no speech'),
      language: z.string().describe('Language code; `und` when it is not known'),
      language_probability: confidenceSchema
        .optional()
        .describe(`The probability of the detected language; ${IF_REPORTED}`),
      speaker_names: speakerNamesSchema.optional(),
      hints: usedHintsSchema.optional().describe('The hints of the request; absent without any'),
      duration: z.number().min(0).describe('Of the audio, in seconds; 0 when there is no speech'),
      message: z.string().optional().describe('Present when there is no speech'),
      engine: z.string().optional().describe('The engine that transcribed the audio. Absent when there is no audio'),
    }),
  })
  .meta({ id: 'SpeakerLabels' });
export type SpeakerLabelsBody = z.infer<typeof speakerLabelsSchema>;

/** The response of GET /api/transcriptspeakerid/{id}/words, an addition to the specification. */
export const spokenWordsSchema = z
  .object({
    status: z.literal('success'),
    media_id: z.string(),
    speaker_names: speakerNamesSchema.optional(),
    segments: z
      .array(
        spokenSegmentSchema.extend({
          word_starts: z
            .array(z.number().min(0))
            .describe('The start of each word of the text, in seconds; words are separated by spaces'),
          word_confidences: z
            .array(confidenceSchema)
            .optional()
            .describe(`The confidence of each word; ${IF_REPORTED}`),
        }),
      )
      .describe('Empty when there is no speech'),
    turns: z
      .array(z.object({ start: z.number().min(0), duration: z.number().min(0), speaker: z.string() }))
      .describe('The intervals with one speaker, including those without words, in order of their start'),
  })
  .meta({ id: 'SpokenWords' });
export type SpokenWords = z.infer<typeof spokenWordsSchema>;

export const speakerLabelsPendingSchema = z
  .object({
    status: z.literal('pending'),
    message: z.string(),
    ...subjectFields,
    cost: costField,
    download_id: ulidSchema.describe('The job'),
    progress: progressSchema.optional(),
  })
  .meta({ id: 'SpeakerLabelsPending' });

/** The response while the audio is being downloaded. */
export const audioRequiredSchema = z
  .object({ status: z.literal('pending'), message: z.string(), transcript_speaker_id: ulidSchema })
  .meta({ id: 'AudioRequired' });

export const speakerLabelsFailedSchema = failedResultSchema
  .extend(subjectFields)
  .meta({ id: 'SpeakerLabelsFailed', description: FAILED_IS_ADDED });

/** The response of POST and GET /api/transcriptspeakerid, and the body of the webhook. */
export const speakerLabelsResultSchema = z
  .union([speakerLabelsSchema, speakerLabelsFailedSchema, speakerLabelsPendingSchema, audioRequiredSchema])
  .meta({ id: 'SpeakerLabelsResult' });
export type SpeakerLabelsResult = z.infer<typeof speakerLabelsResultSchema>;
export type SpeechResult =
  SpeakerLabelsBody | z.infer<typeof speakerLabelsFailedSchema> | z.infer<typeof speakerLabelsPendingSchema>;

const prices = {
  speakerLabelsPerMinute: {
    setting: 'PRICE_SPEAKER_LABELS_MINUTE',
    default: '0.006',
    about: 'Price of speaker labels, per started minute of audio',
  },
} as const;

/** Each started minute of whole seconds is charged. An hour of AAC takes 3600.003 s, which are not 61 minutes. */
export function speakerLabelsPrice(
  { speakerLabelsPerMinute }: PricesOf<typeof prices>,
  durationSeconds: number,
): Thousandths {
  return speakerLabelsPerMinute * Math.ceil(Math.round(durationSeconds) / 60);
}

export const NO_SPEECH = 'No speech was found in the audio.';
/** The BCP 47 code of an unknown language. */
const UNDETERMINED = 'und';

/** @returns the price of the labels, and of the audio if it was started for them */
export function spokenCostOf(record: DownloadRecord): Thousandths {
  return (awaitedBy(record)?.price ?? 0) + costOf(record);
}

/** Renders a speaker-label job in any state (specification, section 2.8). */
export async function renderSpeakerLabels(
  record: DownloadRecord,
  { contents }: Pick<RenderContext, 'contents'>,
  progress?: Progress,
): Promise<Streamable<SpeechResult>> {
  const subject = {
    transcript_speaker_id: audioIdOf(record),
    media_id: record.mediaId,
    transcript_speaker_cost: formatMoney(costOf(record)),
  };
  if (record.status === 'failed') return { ...renderFailed(record), ...subject };
  const cost = awaitedBy(record)?.price === undefined ? undefined : formatMoney(spokenCostOf(record));
  if (record.status === 'pending') {
    return {
      status: 'pending',
      message: 'Transcription in progress',
      ...subject,
      cost,
      download_id: record.id,
      progress,
    };
  }
  const labels = await keptFacts<SpeakerLabels>(contents, record.id);
  const hints = hintsOf(record.parameters ?? {});
  const isSilent = labels.segments.count === 0;
  return {
    status: 'success',
    message: isSilent ? NO_SPEECH : undefined,
    ...subject,
    cost,
    download_id: record.id,
    data: {
      transcriptsWithTimeStamps: labels.segments.map(renderSegment),
      language: isSilent ? UNDETERMINED : (labels.language ?? UNDETERMINED),
      // A language that was given was not detected.
      language_probability: isSilent || hints?.language !== undefined ? undefined : labels.languageProbability,
      speaker_names: await speakerNamesOf(contents, record.id),
      hints,
      duration: isSilent ? 0 : toMilliseconds(labels.durationSeconds),
      message: isSilent ? NO_SPEECH : undefined,
      engine: labels.engine,
    },
  };
}

export function renderSegment({ text, start, duration, speaker, wordConfidences }: KeptSegment): SpokenSegment {
  if (wordConfidences === undefined) return { text, start, duration, speaker };
  const sum = wordConfidences.reduce((total, one) => total + one, 0);
  return { text, start, duration, speaker, confidence: toMilliseconds(sum / wordConfidences.length) };
}

/** Returns the id that callers use for the job: the `transcript_speaker_id` of the audio. */
export function audioIdOf({ id, parameters }: DownloadRecord): string {
  return (parameters as Partial<SpeakerLabelsParameters> | undefined)?.audioId ?? id;
}

/** Renders the response for an audio job that found no audio: nothing is transcribed and nothing is charged. */
export function renderNoAudio(audio: DownloadRecord): SpeechResult {
  return {
    status: 'success',
    message: NO_SPEECH,
    transcript_speaker_id: audio.id,
    media_id: audio.mediaId,
    transcript_speaker_cost: formatMoney(0),
    data: { transcriptsWithTimeStamps: [], language: UNDETERMINED, duration: 0, message: NO_SPEECH },
  };
}

const AUDIO_REQUIRED = 'The audio download is in progress; it is required before the transcription.';
const STARTS_THEN = 'It starts by itself when the audio is complete.';

/** Renders the response while the audio is being downloaded. */
export function renderAudioRequired(audioId: string, { isRequested }: { readonly isRequested: boolean }) {
  return {
    status: 'pending',
    message: isRequested ? `${AUDIO_REQUIRED} ${STARTS_THEN}` : AUDIO_REQUIRED,
    transcript_speaker_id: audioId,
  } as const;
}

/** The transcript of a downloaded audio with its speakers. */
export const speakerLabels = {
  workflow: 'speakerLabels',
  endpoint: 'transcriptspeakerid',
  // The result has no files and does not expire.
  freshness: 'files',
  prices,
  job: jobBaseSchema.extend({
    type: z.literal('speaker_labels'),
    mediaId: shortcodeSchema,
    parameters: speakerLabelsParametersSchema,
  }),
  sample: speakerLabelsSample,
  record: factsRecordSchema,
  requestOf(record: DownloadRecord) {
    const hints = hintsOf(record.parameters ?? {});
    const source = awaitedBy(record)?.source;
    if (source !== undefined) return { path: '/api/speech', body: { ...source, ...hints } };
    return {
      path: '/api/transcriptspeakerid',
      body: { transcript_with_speaker_id: audioIdOf(record), ...hints },
    };
  },
  renderRecord: renderFactsRecord('speaker_labels'),
  render: renderSpeakerLabels,
} as const satisfies Kind;
