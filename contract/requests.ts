import { z } from 'zod';
import { webhookIdSchema } from './deliveries.ts';
import { ulidSchema, vidnetVideoIdSchema } from './ids.ts';
import { languageSchema } from './languages.ts';
import { LIST_MAX_ITEMS, MAX_AGE_DAYS_MAX, SPEAKERS_MAX, WEBHOOK_URL_MAX_CHARS } from './limits.ts';
import { recordStatusSchema, recordTypeSchema } from './records.ts';
import { CHANNEL_URL_PATTERN, POST_URL_PATTERN, PROFILE_URL_PATTERN, WEBHOOK_URL_PATTERN } from './url-patterns.ts';
import { deliveryStates } from './webhooks.ts';

const PUBLIC_URL =
  'a publicly reachable http(s) URL. Public IP addresses and names in other scripts are taken too, and what the operator has allowed.';
const webhookUrlSchema = z
  .string()
  .max(WEBHOOK_URL_MAX_CHARS)
  .meta({ pattern: WEBHOOK_URL_PATTERN, examples: ['https://example.com/hooks/media'] });

const includeWebhookSchema = webhookUrlSchema
  .meta({ id: 'IncludeWebhook', description: `Where the result is POSTed when the job ends: ${PUBLIC_URL}` })
  .optional();

/** Body of POST /api/downloads/audio and …/video (specification, section 4.2). Unknown fields are ignored. */
export const vidnetDownloadRequestSchema = z
  .object({
    vidnet_video_id: vidnetVideoIdSchema,
    include_webhook: includeWebhookSchema,
  })
  .meta({ id: 'VidnetDownloadRequest' });
export type VidnetDownloadRequest = z.infer<typeof vidnetDownloadRequestSchema>;

/** Body of POST /api/transcripts (specification, section 4.2). Unknown fields are ignored. */
export const transcriptRequestSchema = z
  .object({
    vidnet_video_id: vidnetVideoIdSchema,
    language: languageSchema.describe('Language code such as `en`, `de` or `pt-BR`'),
    include_comments: z.boolean().optional().describe("Include the video's comments"),
    include_webhook: includeWebhookSchema,
  })
  .meta({ id: 'TranscriptRequest' });
export type TranscriptRequest = z.infer<typeof transcriptRequestSchema>;

/** Body of POST /api/channel/profile (specification, section 4.2). Unknown fields are ignored. */
export const channelRequestSchema = z
  .object({
    url: z
      .string()
      .max(2048)
      .meta({
        description: 'Channel URL (`/@handle`, `/channel/ID`, `/c/NAME`, `/user/NAME`), or a bare handle or channel id',
        pattern: CHANNEL_URL_PATTERN,
        examples: ['https://www.youtube.com/@evening-talks'],
      }),
    include_webhook: includeWebhookSchema,
  })
  .meta({ id: 'ChannelRequest' });
export type ChannelRequest = z.infer<typeof channelRequestSchema>;

/** Body of POST /api/imgnet/profile (specification, section 4.1). Unknown fields are ignored. */
export const imgnetProfileRequestSchema = z
  .object({
    url: z
      .string()
      .max(2048)
      .meta({
        description: 'URL of a profile, or `@name`',
        pattern: PROFILE_URL_PATTERN,
        examples: ['https://www.instagram.com/evening.talks/'],
      }),
    include_webhook: includeWebhookSchema,
  })
  .meta({ id: 'ImgnetProfileRequest' });
export type ImgnetProfileRequest = z.infer<typeof imgnetProfileRequestSchema>;

const DAYS_MESSAGE = `must be an integer from 0 to ${String(MAX_AGE_DAYS_MAX)}`;

/** Body of POST /api/imgnet/list (specification, section 4.1). Unknown fields are ignored. */
export const imgnetListRequestSchema = z
  .object({
    list_id: z.string().max(100).describe('`list_id` of a profile result; valid for one hour'),
    max_age_days: z
      .int({ error: DAYS_MESSAGE })
      .min(0, DAYS_MESSAGE)
      .max(MAX_AGE_DAYS_MAX, DAYS_MESSAGE)
      .optional()
      .describe('Only what was posted within the last N days, since midnight UTC of the first; everything without it'),
    include_webhook: includeWebhookSchema.describe(`Where each of the two parts is POSTed when it ends: ${PUBLIC_URL}`),
  })
  .meta({ id: 'ImgnetListRequest' });
export type ImgnetListRequest = z.infer<typeof imgnetListRequestSchema>;

/** Body of POST /api/imgnet/content and …/audio (specification, section 4.1). Unknown fields are ignored. */
export const imgnetPostRequestSchema = z
  .object({
    url: z
      .string()
      .max(2048)
      .meta({
        description: 'URL of a post (`/p/CODE/`) or a reel (`/reel/CODE/`)',
        pattern: POST_URL_PATTERN,
        examples: ['https://www.instagram.com/reel/DAbCdEfGhIj/'],
      }),
    include_webhook: includeWebhookSchema,
  })
  .meta({ id: 'ImgnetPostRequest' });
export type ImgnetPostRequest = z.infer<typeof imgnetPostRequestSchema>;

const SPEAKERS_MESSAGE = `must be an integer from 1 to ${String(SPEAKERS_MAX)}`;
const speakersSchema = z
  .int({ error: SPEAKERS_MESSAGE })
  .min(1, SPEAKERS_MESSAGE)
  .max(SPEAKERS_MAX, SPEAKERS_MESSAGE)
  .optional();

/** The refinement below as JSON Schema, which cannot compare two fields: some number lies between them. */
const SPEAKERS_IN_ORDER = Array.from({ length: SPEAKERS_MAX }, (_, index) => ({
  properties: { min_speakers: { maximum: index + 1 }, max_speakers: { minimum: index + 1 } },
}));

/**
 * Body of POST /api/transcriptspeakerid (specification, section 4.3). Unknown fields are ignored. The last three fields
 * are an addition to the specification.
 */
export const speakerLabelsRequestSchema = z
  .object({
    transcript_with_speaker_id: ulidSchema.describe('`transcript_speaker_id` of an audio download'),
    include_webhook: includeWebhookSchema,
    min_speakers: speakersSchema.describe('At least so many speakers are told apart'),
    max_speakers: speakersSchema.describe('At most so many speakers are told apart'),
    language: languageSchema.optional().describe('Language that is spoken'),
  })
  .refine(({ min_speakers: min = 1, max_speakers: max = SPEAKERS_MAX }) => min <= max, {
    path: ['min_speakers'],
    error: 'must not be more than max_speakers',
  })
  .meta({ id: 'SpeakerLabelsRequest', anyOf: SPEAKERS_IN_ORDER });
export type SpeakerLabelsRequest = z.infer<typeof speakerLabelsRequestSchema>;

/** Query of GET /api/downloads. */
export const downloadListQuerySchema = z.object({
  type: recordTypeSchema.optional().describe('Only jobs of this type'),
  status: recordStatusSchema.optional().describe('Only jobs with this status'),
  media_id: z.string().min(1).max(200).optional().describe('Only jobs about this video, channel, account or post'),
  created_after: z.iso.datetime({ offset: true }).optional().describe('Only jobs created at this time or later'),
  created_before: z.iso.datetime({ offset: true }).optional().describe('Only jobs created before this time'),
  limit: z.coerce.number().int().min(1).max(LIST_MAX_ITEMS).default(50).describe('Most records on a page'),
  cursor: ulidSchema.optional().describe('`next_cursor` of the page before'),
});
export type DownloadListQuery = z.infer<typeof downloadListQuerySchema>;

/** Body of POST /api/webhook/test (specification, section 4.3). */
export const webhookTestRequestSchema = z
  .object({ url: webhookUrlSchema.describe(`The webhook URL to test: ${PUBLIC_URL}`) })
  .meta({ id: 'WebhookTestRequest' });
export type WebhookTestRequest = z.infer<typeof webhookTestRequestSchema>;

/** Query of GET /api/webhook/deliveries. */
export const deliveryListQuerySchema = z.object({
  download_id: ulidSchema.optional().describe('Only deliveries of this download'),
  state: z.enum(deliveryStates).optional().describe('Only deliveries in this state'),
  limit: z.coerce.number().int().min(1).max(LIST_MAX_ITEMS).default(50).describe('Most deliveries on a page'),
  cursor: webhookIdSchema.optional().describe('`next_cursor` of the page before'),
});
export type DeliveryListQuery = z.infer<typeof deliveryListQuerySchema>;

/** Query of GET /api/account. */
export const accountQuerySchema = z.object({
  limit: z.coerce.number().int().min(1).max(LIST_MAX_ITEMS).default(50).describe('Most entries on a page'),
  cursor: ulidSchema.optional().describe('`next_cursor` of the page before'),
});
export type AccountQuery = z.infer<typeof accountQuerySchema>;
