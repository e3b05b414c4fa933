import { z } from 'zod';
import { durationOf, fileFields, recordFields, renderFiles, renderRecordFields } from '../http/download-schemas.ts';
import { moneySchema } from '../http/fields.ts';
import { ulidSchema } from '../ids.ts';
import { postUrlOf } from '../urls/imgnet-urls.ts';
import type { JobInput } from '../job-input.ts';
import type { Kind, RenderRecord } from './kind.ts';
import { formatMoney } from '../money.ts';
import type { DownloadRecord } from '../download-record.ts';
import { labelsCostOf } from './sound.ts';
import { jobBaseSchema, postSchema, shortcodeSchema } from '../job-schema.ts';
import { SAMPLE } from './sample.ts';
import { samplePostFailure } from './imgnet-media.ts';

const parametersSchema = z.object({ post: postSchema });
export type PostAudioParameters = Readonly<z.infer<typeof parametersSchema>>;
export type PostAudioJob = JobInput & { readonly parameters: PostAudioParameters };

export const imgnetAudioRecordSchema = z
  .object({
    ...recordFields,
    ...fileFields,
    type: z.literal('imgnet_audio'),
    duration: recordFields.duration.describe('Of the first video with sound; null until there is one'),
    transcript_speaker_id: ulidSchema,
    transcript_speaker_cost: recordFields.transcript_speaker_cost.describe(
      'Of the first video with sound; null until the status is success',
    ),
    audio_url: recordFields.audio_url.describe('The first of `file_urls`; null without one'),
    file_urls: recordFields.file_urls.describe(
      'Signed links to M4A files, one for each video, in order; the file of a video without sound is silence. Empty when no video has sound; null until the status is success, and when the files were removed',
    ),
  })
  .meta({ id: 'ImgnetAudioRecord' });
export type ImgnetAudioRecord = z.infer<typeof imgnetAudioRecordSchema>;

/** The response of POST /api/imgnet/audio for a post without audio, such as photos (specification, section 2.5). */
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

export const imgnetAudioResultSchema = z
  .union([z.object({ data: imgnetAudioRecordSchema }), imgnetNoAudioSchema])
  .meta({ id: 'ImgnetAudioResult' });
export type ImgnetAudioResult = z.infer<typeof imgnetAudioResultSchema>;

const renderImgnetAudio: RenderRecord<ImgnetAudioRecord> = (record, context, progress) => ({
  ...renderRecordFields(record, progress),
  type: 'imgnet_audio',
  transcript_speaker_id: record.id,
  duration: durationOf(record),
  transcript_speaker_cost: labelsCostOf(record, context.prices),
  ...renderFiles(record, context),
});

const renderImgnetAudioResult: RenderRecord<ImgnetAudioResult> = (record, context, progress) => {
  if (record.status !== 'success' || record.files.length > 0) {
    return { data: renderImgnetAudio(record, context, progress) };
  }
  return {
    status: 'success',
    message: 'There is no audio: the post has photos only, or its videos are silent.',
    download_id: record.id,
    cost: formatMoney(record.charge),
    transcript_speaker_id: record.id,
    transcript_speaker_cost: formatMoney(0),
  };
};

export const imgnetAudio = {
  workflow: 'imgnetAudio',
  endpoint: 'imgnet/audio',
  freshness: 'files',
  prices: {
    imgnetAudio: { setting: 'PRICE_IMGNET_AUDIO', default: '0.005', about: 'Price of the audio of a post or reel' },
  },
  job: jobBaseSchema.extend({
    type: z.literal('imgnet_audio'),
    mediaId: shortcodeSchema,
    parameters: parametersSchema,
  }),
  sample: {
    mediaId: SAMPLE.shortcode,
    failure: samplePostFailure,
    parameters: { post: { kind: 'reel', shortcode: SAMPLE.shortcode } },
    file: `${SAMPLE.shortcode}.m4a`,
    other: { summary: 'The post has no audio', price: 0, file: '' },
  },
  record: imgnetAudioRecordSchema,
  requestOf: ({ parameters }: DownloadRecord) => ({
    path: '/api/imgnet/audio',
    body: { url: postUrlOf((parameters as PostAudioParameters).post) },
  }),
  renderRecord: renderImgnetAudio,
  render: renderImgnetAudioResult,
} as const satisfies Kind;
