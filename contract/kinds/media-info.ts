import { z } from 'zod';
import { keptFacts } from './contents.ts';
import { factsRecordSchema, renderFactsRecord } from '../http/download-schemas.ts';
import {
  countSchema,
  durationSchema,
  jobFields,
  moneySchema,
  pageSchema,
  platformTimeSchema,
  type Progress,
} from '../http/fields.ts';
import { vidnetVideoIdSchema } from '../ids.ts';
import {
  renderFailed,
  renderPending,
  renderSuccess,
  successFields,
  type FailedResult,
  type PendingResult,
} from '../http/job-answers.ts';
import type { JobInput } from '../job-input.ts';
import type { Kind, RenderContext } from './kind.ts';
import { mediaIdSchema, pageUrlSchema, siteSchema } from './media.ts';
import type { DownloadRecord } from '../download-record.ts';
import { SAMPLE } from './sample.ts';
import { withNullDefaults, type Sparse } from './sparse.ts';
import { jobBaseSchema } from '../job-schema.ts';
import { WEBHOOK_URL_PATTERN } from '../urls/url-patterns.ts';

/** The body of POST /api/media/info, an addition to the specification. Unknown fields are ignored. */
export const mediaInfoRequestSchema = z
  .object({
    url: pageSchema(
      'URL of a video, playlist or channel of the video platform, or of a page of any site that the operator allows; also the bare ID of a video, or a handle such as `@evening-talks`',
      WEBHOOK_URL_PATTERN,
      'https://example.com/videos/evening-talk',
    ),
    ...jobFields,
  })
  .meta({ id: 'MediaInfoRequest' });
export type MediaInfoRequest = z.infer<typeof mediaInfoRequestSchema>;

/** The page, with what it is expected to be. */
export const mediaInfoPageSchema = z
  .object({ url: pageUrlSchema, subject: z.enum(['video', 'channel', 'page']) })
  .readonly();
export type MediaInfoPage = z.infer<typeof mediaInfoPageSchema>;

export const mediaInfoIdSchema = z.union([vidnetVideoIdSchema, mediaIdSchema]);
const parametersSchema = z.object({
  page: mediaInfoPageSchema,
  /** The site whose rate limit applies; absent for pages of the video platform. */
  site: siteSchema.optional(),
});
export type MediaInfoParameters = Readonly<z.infer<typeof parametersSchema>>;
export type MediaInfoJob = JobInput & { readonly parameters: MediaInfoParameters };

const sizeField = countSchema.nullable().describe('Bytes; an estimate if the page states none');
const secondsField = z.number().nonnegative();

const languageField = z.string().describe('BCP 47');

const thumbnailSchema = z.object({ url: z.url(), width: countSchema.nullable(), height: countSchema.nullable() });
const chapterSchema = z.object({ title: z.string(), start: secondsField, end: secondsField.nullable() });
const videoFormatSchema = z.object({
  height: countSchema.nullable().describe('Lines'),
  frame_rate: z.number().nonnegative().nullable(),
  container: z.string(),
  size: sizeField,
  has_sound: z.boolean().describe('Whether the size includes sound'),
});
const audioFormatSchema = z.object({ container: z.string(), language: languageField.nullable(), size: sizeField });
const spokenLanguageSchema = z.object({
  language: languageField,
  is_original: z.boolean().describe('False for a dubbed version'),
});
const captionsSchema = z.object({
  language: languageField,
  kind: z.enum(['manual', 'automatic']),
  name: z.string().nullable(),
});

/** What a page says about its media. A field that the page omits is null. */
export const mediaInfoFactsSchema = z.object({
  kind: z.enum(['video', 'playlist', 'channel']).describe('A recording without pictures is a `video`, too'),
  url: z.url().describe('The URL of the page'),
  title: z.string().nullable(),
  description: z.string().nullable(),
  uploader: z.string().nullable(),
  channel_id: z.string().nullable(),
  published_at: platformTimeSchema.nullable(),
  duration: durationSchema.nullable(),
  live_status: z
    .enum(['not_live', 'upcoming', 'live', 'ended'])
    .nullable()
    .describe('`ended`: the recording of a broadcast'),
  view_count: countSchema.nullable(),
  like_count: countSchema.nullable(),
  comment_count: countSchema.nullable(),
  entry_count: countSchema.nullable().describe('The number of entries of a playlist or channel'),
  entry_count_is_minimum: z
    .literal(true)
    .optional()
    .describe('There are more entries; counting them all would take too long'),
  thumbnails: z.array(thumbnailSchema).describe('The best one first'),
  chapters: z.array(chapterSchema).describe('Times in seconds'),
  video_formats: z.array(videoFormatSchema).describe('The highest first'),
  audio_formats: z.array(audioFormatSchema).describe('Sound without pictures, the best first'),
  audio_languages: z.array(spokenLanguageSchema).describe('The original first'),
  captions: z.array(captionsSchema).describe('Without machine translations'),
});
export type MediaInfoFacts = Sparse<z.infer<typeof mediaInfoFactsSchema>>;
const whole = withNullDefaults(mediaInfoFactsSchema);

/** The answer of POST /api/media/info. */
export const mediaInfoSchema = z
  .object({
    status: z.literal('success'),
    ...mediaInfoFactsSchema.shape,
    cost: moneySchema,
    download: z.object(successFields('media_info')),
  })
  .meta({ id: 'MediaInfo' });
export type MediaInfo = z.infer<typeof mediaInfoSchema>;
export type MediaInfoResult = MediaInfo | PendingResult | FailedResult;

export async function renderMediaInfo(
  record: DownloadRecord,
  { contents }: Pick<RenderContext, 'contents'>,
  progress?: Progress,
): Promise<MediaInfoResult> {
  if (record.status === 'pending') return renderPending(record, 'The page is being read.', progress);
  if (record.status === 'failed') return renderFailed(record);
  const download = renderSuccess(record, 'media_info' as const);
  const facts = await keptFacts<MediaInfoFacts>(contents, record.id);
  return { status: 'success', ...whole(facts), cost: download.cost, download };
}

export const mediaInfo = {
  workflow: 'mediaInfo',
  endpoint: 'media/info',
  freshness: 600,
  prices: {
    mediaInfo: {
      setting: 'PRICE_MEDIA_INFO',
      default: '0.000',
      about: 'Price of a look at a page; unless it is 0.000, the console asks first',
    },
  },
  job: jobBaseSchema.extend({
    type: z.literal('media_info'),
    mediaId: mediaInfoIdSchema,
    parameters: parametersSchema,
  }),
  sample: {
    mediaId: SAMPLE.videoId,
    price: 0,
    parameters: { page: { url: SAMPLE.videoUrl, subject: 'video' } },
    failure: ['private', 'The video is private.'],
    facts: {
      ...{ kind: 'video', url: SAMPLE.videoUrl, title: 'Shall we take the bridge', description: 'Two people talk.' },
      ...{ uploader: 'Evening Talks', channel_id: SAMPLE.channelId, published_at: '2026-03-14 18:00:00' },
      ...{ duration: '00:03:25', live_status: 'not_live', view_count: 4_102, like_count: 311, comment_count: 1 },
      thumbnails: [{ url: SAMPLE.image, width: 1280, height: 720 }],
      chapters: [{ title: 'On the way', start: 0, end: 92 }],
      video_formats: [
        { height: 1080, frame_rate: 25, container: 'mp4', size: 31_204_113, has_sound: false },
        { height: 720, frame_rate: 25, container: 'mp4', size: 15_881_007, has_sound: false },
      ],
      audio_formats: [{ container: 'm4a', language: 'en', size: 3_318_020 }],
      audio_languages: [{ language: 'en', is_original: true }],
      captions: [{ language: 'en', kind: 'manual', name: 'English' }],
    },
  },
  record: factsRecordSchema,
  requestOf: ({ parameters }: DownloadRecord) => ({
    path: '/api/media/info',
    body: { url: (parameters as MediaInfoParameters).page.url },
  }),
  renderRecord: renderFactsRecord('media_info'),
  render: renderMediaInfo,
} as const satisfies Kind;
