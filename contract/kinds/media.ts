import { z } from 'zod';
import { durationOf, fileFields, recordFields, renderFiles, renderRecordFields } from '../http/download-schemas.ts';
import { jobFields, pageSchema } from '../http/fields.ts';
import type { JobInput } from '../job-input.ts';
import { inData, type Kind, type PricesOf, type RenderRecord } from './kind.ts';
import type { DownloadRecord } from '../download-record.ts';
import { vidnetVideoIdSchema } from '../ids.ts';
import { WEBHOOK_URL_PATTERN } from '../urls/url-patterns.ts';
import { httpUrlSchema, jobBaseSchema, postSchema } from '../job-schema.ts';
import { mediaFormatSchema, mediaOptionsSchema, mediaOptionsShape } from './media-options.ts';
import { labelsOfVideo } from './sound.ts';

/** The body of POST /api/downloads/media, an addition to the specification. Unknown fields are ignored. */
export const mediaRequestSchema = z
  .object({
    url: pageSchema(
      'URL of the page of one video or recording, on any site that the operator allows (MEDIA_SITES), or of a post or reel of the photo platform',
      WEBHOOK_URL_PATTERN,
      'https://example.com/videos/evening-talk',
    ),
    format: mediaFormatSchema.describe(
      '`audio`: M4A, or `video`: MP4, unless `container` names another; of a post or reel, `video` means all its pictures and videos as they are',
    ),
    ...mediaOptionsShape,
    ...jobFields,
  })
  .meta({ id: 'MediaRequest' });
export type MediaRequest = z.infer<typeof mediaRequestSchema>;

/** The URL of a page. yt-dlp takes options from a fragment. */
export const pageUrlSchema = httpUrlSchema.refine((url) => !url.includes('#'), 'must have no fragment');
/** A page of any site, as {@link normalizedPage} returns it, and how its file is made. */
export const mediaPageSchema = z
  .object({
    url: pageUrlSchema,
    format: mediaFormatSchema,
    options: mediaOptionsSchema.optional(),
    /** The ID of a video of the video platform, which SponsorBlock needs. */
    videoId: vidnetVideoIdSchema.optional(),
  })
  .readonly();
export type MediaPage = z.infer<typeof mediaPageSchema>;

/** A host and nothing more, since it becomes a part of an activity's ID. */
export const siteSchema = z.string().regex(/^[\w.:[\]-]{1,260}$/);
export const mediaIdSchema = z.string().regex(/^[0-9a-f]{32}$/);
const parametersSchema = z.object({
  page: mediaPageSchema,
  /** The site whose rate limit applies; absent for pages of the video platform. */
  site: siteSchema.optional(),
  /** Set for a post or reel of the photo platform, whose pictures and videos are all fetched. */
  post: postSchema.exactOptional(),
});
export type MediaParameters = Readonly<z.infer<typeof parametersSchema>>;
export type MediaJob = JobInput & { readonly parameters: MediaParameters };

/** Query parameters that identify the source of a link and never the page. */
const TRACKING =
  /^(?:utm_\w+|fbclid|gclid|dclid|gbraid|wbraid|msclkid|twclid|yclid|mc_cid|mc_eid|igsh|igshid|si)(?:=|$)/i;

/** One URL for each page: no fragment, from which yt-dlp takes options, and no parameters that track the source. */
export function normalizedPage(url: URL): string {
  const page = new URL(url);
  page.hash = '';
  page.hostname = page.hostname.replace(/\.$/, '');
  const kept = page.search
    .slice(1)
    .split('&')
    .filter((part) => part !== '' && !TRACKING.test(part));
  page.search = kept.join('&');
  return page.href;
}

export const mediaRecordSchema = z
  .object({
    ...recordFields,
    ...fileFields,
    type: z.literal('media'),
    url: z.string().describe('The normalized URL of the page'),
    format: mediaFormatSchema,
    audio_url: recordFields.audio_url.describe('The link of the format `audio`; null of the other one'),
    file_urls: recordFields.file_urls.describe(
      'One signed link to the file, or of a post one for each slide, in order; null until the status is success, and when the file was removed',
    ),
    encoding: z
      .enum(['copied', 'converted'])
      .nullable()
      .describe(
        'Whether pictures and sound are as the site sent them; null until the status is success, and without options',
      ),
  })
  .meta({ id: 'MediaRecord' });
export type MediaRecord = z.infer<typeof mediaRecordSchema>;

export const mediaResultSchema = z.object({ data: mediaRecordSchema }).meta({ id: 'MediaResult' });
export type MediaResult = z.infer<typeof mediaResultSchema>;

const prices = {
  mediaAudio: { setting: 'PRICE_MEDIA_AUDIO', default: '0.005', about: 'Price of the audio of a page' },
  mediaVideo: { setting: 'PRICE_MEDIA_VIDEO', default: '0.010', about: 'Price of the video of a page' },
} as const;

export function mediaPrice({ mediaAudio, mediaVideo }: PricesOf<typeof prices>, format: MediaPage['format']): number {
  return format === 'audio' ? mediaAudio : mediaVideo;
}

const renderMedia: RenderRecord<MediaRecord> = (record, context, progress) => {
  const { page } = record.parameters as MediaParameters;
  const files = renderFiles(record, context);
  const [file] = record.status === 'success' ? record.files : [];
  return {
    ...renderRecordFields(record, progress),
    type: 'media',
    url: page.url,
    format: page.format,
    duration: durationOf(record),
    ...files,
    audio_url: page.format === 'audio' ? files.audio_url : null,
    encoding: file?.encoding ?? null,
    ...labelsOfVideo(record, context.prices),
  };
};

export const media = {
  workflow: 'media',
  endpoint: 'downloads/media',
  freshness: 'files',
  prices,
  job: jobBaseSchema.extend({ type: z.literal('media'), mediaId: mediaIdSchema, parameters: parametersSchema }),
  sample: {
    mediaId: '4e'.repeat(16),
    price: 10,
    file: 'evening-talk.mp4',
    progress: {
      stage: 'waiting',
      until: '2026-11-21T09:35:00.000Z',
      reason: 'The platform refuses requests of this service for some time.',
    },
    parameters: { page: { url: 'https://media.example/videos/evening-talk', format: 'video' } },
  },
  record: mediaRecordSchema,
  requestOf: ({ parameters }: DownloadRecord) => {
    const { url, format, options } = (parameters as MediaParameters).page;
    return { path: '/api/downloads/media', body: { url, format, ...options } };
  },
  renderRecord: renderMedia,
  render: inData(renderMedia),
} as const satisfies Kind;
