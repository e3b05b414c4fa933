import { z } from 'zod';
import { ulidSchema, vidnetVideoIdSchema } from '../ids.ts';
import { recordStatusSchema } from '../records.ts';
import { durationSchema, moneySchema, progressSchema, timestampSchema } from './fields.ts';

/** What all download records share (specification, section 2.1). */
export const recordFields = {
  id: ulidSchema,
  media_id: z.string(),
  cost: moneySchema.describe(
    'The price while pending, what was charged afterwards; a failed job costs 0.000 unless it was cancelled too late',
  ),
  status: recordStatusSchema,
  created_at: timestampSchema,
  response: z.string().nullable().describe('What went wrong, when the status is failed'),
  progress: progressSchema.optional(),
};

/** Of the types that have files. */
const fileFields = {
  files_removed_at: timestampSchema
    .optional()
    .describe(
      'When the files were removed, whose time was over; there are no links then, and a new request fetches again',
    ),
};

const vidnetRecordFields = {
  ...recordFields,
  vidnet_video_id: vidnetVideoIdSchema,
  duration: durationSchema.optional().describe('Present once the status is success'),
};

/** The download record of an audio job. */
export const audioRecordSchema = z
  .object({
    ...vidnetRecordFields,
    ...fileFields,
    type: z.literal('audio'),
    transcript_speaker_id: ulidSchema,
    transcript_speaker_cost: moneySchema.optional().describe('Present once the status is success'),
    audio_url: z
      .url()
      .nullable()
      .describe('Signed link to the M4A file; null until the status is success, and when the file was removed'),
  })
  .meta({ id: 'AudioRecord' });
export type AudioRecord = z.infer<typeof audioRecordSchema>;

/** The download record of a video job. */
export const videoRecordSchema = z
  .object({
    ...vidnetRecordFields,
    ...fileFields,
    type: z.literal('vidnet_video'),
    file_urls: z
      .array(z.url())
      .nullable()
      .describe('One signed link to the MP4 file; null until the status is success, and when the file was removed'),
    audio_url: z.null().optional().describe('Present, and null, when the status is failed'),
  })
  .meta({ id: 'VideoRecord' });
export type VideoRecord = z.infer<typeof videoRecordSchema>;

/** The download record of a transcript job; the transcript itself is had from GET /api/transcripts/{downloadID}. */
export const captionsRecordSchema = z
  .object({
    ...vidnetRecordFields,
    type: z.literal('captions'),
    language: z.string().describe('The language that was asked for'),
  })
  .meta({ id: 'CaptionsRecord' });
export type CaptionsRecord = z.infer<typeof captionsRecordSchema>;

/** The download record of a channel job; the profile itself is had from POST /api/channel/profile. */
export const channelRecordSchema = z
  .object({
    ...recordFields,
    type: z.literal('list'),
    vidnet_video_id: z.string().describe('The channel: as it was asked for, its id once the status is success'),
  })
  .meta({ id: 'ChannelRecord' });
export type ChannelRecord = z.infer<typeof channelRecordSchema>;

/** The download record of a job without files; its result is had from where it was requested. */
export const factsRecordSchema = z
  .object({
    ...recordFields,
    type: z.enum(['imgnet_profile', 'imgnet_post', 'imgnet_list_posts', 'imgnet_list_reels', 'speaker_labels']),
  })
  .meta({ id: 'FactsRecord' });
export type FactsRecord = z.infer<typeof factsRecordSchema>;

/** The download record of the audio of a post or reel of the photo platform. */
export const imgnetAudioRecordSchema = z
  .object({
    ...recordFields,
    ...fileFields,
    type: z.literal('imgnet_audio'),
    duration: durationSchema.optional().describe('Of the first file; present once there is one'),
    transcript_speaker_id: ulidSchema,
    transcript_speaker_cost: moneySchema.optional().describe('Of the first file; present once the status is success'),
    audio_url: z.url().nullable().describe('The first of `file_urls`; null without one'),
    file_urls: z
      .array(z.url())
      .nullable()
      .describe(
        'Signed links to M4A files, one for each video with sound, in order; null until the status is success, and when they were removed',
      ),
  })
  .meta({ id: 'ImgnetAudioRecord' });
export type ImgnetAudioRecord = z.infer<typeof imgnetAudioRecordSchema>;

export const downloadRecordSchema = z
  .discriminatedUnion('type', [
    audioRecordSchema,
    videoRecordSchema,
    captionsRecordSchema,
    channelRecordSchema,
    imgnetAudioRecordSchema,
    factsRecordSchema,
  ])
  .meta({ id: 'DownloadRecord' });

/** Answer of POST /api/downloads/audio, and the body of its webhook. */
export const audioResultSchema = z.object({ data: audioRecordSchema }).meta({ id: 'AudioResult' });
export type AudioResult = z.infer<typeof audioResultSchema>;

/** Answer of POST /api/downloads/video, and the body of its webhook. */
export const videoResultSchema = z.object({ data: videoRecordSchema }).meta({ id: 'VideoResult' });
export type VideoResult = z.infer<typeof videoResultSchema>;

/** What POST /api/imgnet/audio answers when there is nothing to hear, such as for photos (specification, section 2.5). */
export const imgnetNoAudioSchema = z
  .object({
    status: z.literal('success'),
    message: z.string(),
    download_id: ulidSchema,
    cost: moneySchema,
    transcript_speaker_id: ulidSchema,
    transcript_speaker_cost: moneySchema.describe('0.000'),
  })
  .meta({ id: 'ImgnetNoAudio' });
export type ImgnetNoAudio = z.infer<typeof imgnetNoAudioSchema>;

/** Answer of POST /api/imgnet/audio, and the body of its webhook. */
export const imgnetAudioResultSchema = z
  .union([z.object({ data: imgnetAudioRecordSchema }), imgnetNoAudioSchema])
  .meta({ id: 'ImgnetAudioResult' });
export type ImgnetAudioResult = z.infer<typeof imgnetAudioResultSchema>;

/** Answer of GET and DELETE /downloads/{downloadId}: the record of whichever download it is. */
export const downloadResultSchema = z.object({ data: downloadRecordSchema }).meta({ id: 'DownloadResult' });
export type DownloadResult = z.infer<typeof downloadResultSchema>;

/** Answer of GET /api/downloads: a page of records, newest first. */
export const downloadListSchema = z
  .object({
    downloads: z.array(downloadRecordSchema),
    next_cursor: z.string().nullable().describe('Where the list goes on; null on the last page'),
  })
  .meta({ id: 'DownloadList' });
export type DownloadList = z.infer<typeof downloadListSchema>;
