import { z } from 'zod';
import { ulidSchema } from '../ids.ts';
import { moneySchema, progressSchema } from './fields.ts';
import { failedResultSchema } from './jobs.ts';

const subjectFields = {
  transcript_speaker_id: ulidSchema.describe('The one that was asked for: the id of the audio'),
  media_id: z.string(),
  transcript_speaker_cost: moneySchema,
};

/** A part of the transcript that one speaker says (specification, section 2.8). */
export const spokenSegmentSchema = z
  .object({
    text: z.string(),
    start: z.number().min(0).describe('Seconds'),
    duration: z.number().min(0).describe('Seconds'),
    speaker: z.string().meta({ description: 'Label, in order of appearance', examples: ['Speaker 1'] }),
  })
  .meta({ id: 'SpokenSegment' });

/** The transcript with speaker labels (specification, section 2.8). */
export const speakerLabelsSchema = z
  .object({
    status: z.literal('success'),
    message: z.string().optional().describe('Present when nobody speaks'),
    ...subjectFields,
    download_id: ulidSchema.optional().describe('The job; absent when none was needed'),
    data: z.object({
      transcriptsWithTimeStamps: z.array(spokenSegmentSchema).describe('Empty when nobody speaks'),
      language: z.string().describe('Language code; `und` when it is not known'),
      duration: z.number().min(0).describe('Of the audio, in seconds; 0 when nobody speaks'),
      message: z.string().optional().describe('Present when nobody speaks'),
      engine: z.string().optional().describe('What heard the words and voices; absent when there is no audio'),
    }),
  })
  .meta({ id: 'SpeakerLabels' });
export type SpeakerLabelsBody = z.infer<typeof speakerLabelsSchema>;

/** The answer while the transcription runs. */
export const speakerLabelsPendingSchema = z
  .object({
    status: z.literal('pending'),
    message: z.string(),
    ...subjectFields,
    download_id: ulidSchema.describe('The job'),
    progress: progressSchema.optional(),
  })
  .meta({ id: 'SpeakerLabelsPending' });

/** The answer while the audio itself is being downloaded: nothing was started. */
export const audioRequiredSchema = z
  .object({ status: z.literal('pending'), message: z.string(), transcript_speaker_id: ulidSchema })
  .meta({ id: 'AudioRequired' });

export const speakerLabelsFailedSchema = failedResultSchema.extend(subjectFields).meta({ id: 'SpeakerLabelsFailed' });

/** Answer of POST and GET /api/transcriptspeakerid, and the body of the webhook. */
export const speakerLabelsResultSchema = z
  .union([speakerLabelsSchema, speakerLabelsFailedSchema, speakerLabelsPendingSchema, audioRequiredSchema])
  .meta({ id: 'SpeakerLabelsResult' });
export type SpeakerLabelsResult = z.infer<typeof speakerLabelsResultSchema>;
