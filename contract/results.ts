import { z } from 'zod';
import { ulidSchema, vidnetVideoIdSchema } from './ids.ts';
import { progressStages } from './jobs.ts';
import { recordStatusSchema } from './records.ts';

const moneySchema = z
  .string()
  .regex(/^\d+\.\d{3}$/)
  .meta({ description: 'Decimal string with three decimals', examples: ['0.005'] });
const timestampSchema = z
  .string()
  .regex(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/)
  .meta({ description: 'ISO 8601 UTC with microseconds', examples: ['2026-11-21T09:30:00.123456Z'] });
const durationSchema = z
  .string()
  .regex(/^\d{2,}:[0-5]\d:[0-5]\d$/)
  .meta({ description: 'HH:MM:SS', examples: ['00:03:25'] });

export const progressSchema = z
  .object({
    stage: z.enum(progressStages),
    percent: z.number().min(0).max(100).optional(),
    downloaded_bytes: z.number().int().nonnegative().optional(),
    total_bytes: z.number().int().nonnegative().optional(),
  })
  .meta({ id: 'Progress', description: 'What a running job does; an addition to the specification' });
export type Progress = z.infer<typeof progressSchema>;

/** What the download records of the video platform share (specification, section 2.1). */
const vidnetRecordFields = {
  id: ulidSchema,
  media_id: z.string(),
  vidnet_video_id: vidnetVideoIdSchema,
  duration: durationSchema.optional().describe('Present once the status is success'),
  cost: moneySchema.describe('The price while pending, what was charged afterwards; a failed job costs 0.000'),
  status: recordStatusSchema,
  created_at: timestampSchema,
  response: z.string().nullable().describe('What went wrong, when the status is failed'),
  progress: progressSchema.optional(),
};

/** The download record of an audio job. */
export const audioRecordSchema = z
  .object({
    ...vidnetRecordFields,
    type: z.literal('audio'),
    transcript_speaker_id: ulidSchema,
    transcript_speaker_cost: moneySchema.optional().describe('Present once the status is success'),
    audio_url: z.url().nullable().describe('Signed link to the M4A file; null until the status is success'),
  })
  .meta({ id: 'AudioRecord' });
export type AudioRecord = z.infer<typeof audioRecordSchema>;

/** The download record of a video job. */
export const videoRecordSchema = z
  .object({
    ...vidnetRecordFields,
    type: z.literal('vidnet_video'),
    file_urls: z
      .array(z.url())
      .nullable()
      .describe('One signed link to the MP4 file; null until the status is success'),
    audio_url: z.null().optional().describe('Present, and null, when the status is failed'),
  })
  .meta({ id: 'VideoRecord' });
export type VideoRecord = z.infer<typeof videoRecordSchema>;

export const downloadRecordSchema = z
  .discriminatedUnion('type', [audioRecordSchema, videoRecordSchema])
  .meta({ id: 'DownloadRecord' });

/** Answer of POST /api/downloads/audio, and the body of its webhook. */
export const audioResultSchema = z.object({ data: audioRecordSchema }).meta({ id: 'AudioResult' });
export type AudioResult = z.infer<typeof audioResultSchema>;

/** Answer of POST /api/downloads/video, and the body of its webhook. */
export const videoResultSchema = z.object({ data: videoRecordSchema }).meta({ id: 'VideoResult' });
export type VideoResult = z.infer<typeof videoResultSchema>;

/** Answer of GET /downloads/{downloadId}: the record of whichever download it is. */
export const downloadResultSchema = z.object({ data: downloadRecordSchema }).meta({ id: 'DownloadResult' });
export type DownloadResult = z.infer<typeof downloadResultSchema>;

/** Answer of POST /api/webhook/test. */
export const webhookTestResultSchema = z
  .object({
    status: z.enum(['success', 'error']),
    message: z.string(),
    http_status: z.number().int().describe('The status code that the URL returned; 0 when there was no answer'),
  })
  .meta({ id: 'WebhookTestResult' });
export type WebhookTestResult = z.infer<typeof webhookTestResultSchema>;

const partSchema = z.enum(['ok', 'unavailable']);
/** Answer of GET /health. */
export const healthSchema = z
  .object({ status: partSchema, temporal: partSchema, mongodb: partSchema })
  .meta({ id: 'Health' });
export type Health = z.infer<typeof healthSchema>;
