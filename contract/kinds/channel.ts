import { z } from 'zod';
import { channelPathOf, VIDNET_PLATFORM_URL, type ChannelReference } from '../urls/channel-urls.ts';
import { keptFacts } from './contents.ts';
import { NO_FILES, recordFields, renderRecordFields } from '../http/download-schemas.ts';
import {
  countSchema,
  jobFields,
  moneySchema,
  pageSchema,
  platformTimeSchema,
  resultCursorSchema,
  type Progress,
} from '../http/fields.ts';
import {
  renderFailed,
  renderPending,
  renderSuccess,
  successFields,
  withVideoId,
  type VidnetFailedResult,
  type VidnetPendingResult,
} from '../http/job-answers.ts';
import type { JobInput } from '../job-input.ts';
import type { Kind, RecordContext, RenderContext } from './kind.ts';
import type { DownloadRecord } from '../download-record.ts';
import type { Streamable } from '../http/streams.ts';
import { withNullDefaults, type Sparse } from './sparse.ts';
import { CHANNEL_URL_PATTERN } from '../urls/url-patterns.ts';
import { jobBaseSchema } from '../job-schema.ts';
import { SAMPLE } from './sample.ts';

/** The body of POST /api/channel/profile (specification, section 4.2). Unknown fields are ignored. */
export const channelRequestSchema = z
  .object({
    url: pageSchema(
      'Channel URL (`/@handle`, `/channel/ID`, `/c/NAME`, `/user/NAME`), or a bare handle or channel id',
      CHANNEL_URL_PATTERN,
      'https://www.youtube.com/@evening-talks',
    ),
    ...jobFields,
  })
  .meta({ id: 'ChannelRequest' });
export type ChannelRequest = z.infer<typeof channelRequestSchema>;

/** Normalized names may be longer than callers may write them; a name of only dots would be a step in a path. */
const NAME = '(?!\\.{1,2}$)[\\p{L}\\p{M}\\p{N}._·-]{1,400}';
export const channelReferenceSchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('id'), name: z.string().regex(/^[\w-]{1,100}$/) }),
  z.object({ kind: z.enum(['handle', 'custom', 'user']), name: z.string().regex(new RegExp(`^${NAME}$`, 'u')) }),
]);
const channelPathSchema = z.string().regex(new RegExp(`^(?:@|channel/|c/|user/)${NAME}$`, 'u'));

export interface ChannelParameters {
  readonly channel: ChannelReference;
}
export type ChannelJob = JobInput & { readonly parameters: ChannelParameters };

export const channelVideoSchema = z
  .object({
    vidnet_id: z.string(),
    title: z.string(),
    thumbnail: z.url().nullable(),
    published_at: platformTimeSchema.nullable(),
    duration: countSchema.nullable().describe('Seconds'),
  })
  .meta({ id: 'ChannelVideo' });
export type ChannelVideo = z.infer<typeof channelVideoSchema>;
export type ChannelVideoItem = Sparse<ChannelVideo>;
/** The videos are stored as they are in answers. */
export const wholeVideo = withNullDefaults(channelVideoSchema);

/** The platform's fields of a channel profile. A field that the platform omits is null. */
export const channelFactsSchema = z.object({
  vidnet_id: z.string().describe('Channel id'),
  title: z.string(),
  description: z.string().nullable(),
  url: z.url(),
  thumbnail: z.url().nullable(),
  country: z.string().nullable(),
  total_media: countSchema.nullable(),
  subscriber_count: countSchema.nullable(),
  total_views: countSchema.nullable(),
  creation_date: platformTimeSchema.nullable(),
});
export type ChannelFacts = Sparse<z.infer<typeof channelFactsSchema>>;
const wholeChannel = withNullDefaults(channelFactsSchema);

/** The channel profile (specification, section 2.6). */
export const channelProfileSchema = z
  .object({
    status: z.literal('success'),
    ...channelFactsSchema.shape,
    cost: moneySchema,
    source: z.literal('api'),
    videos: z.array(channelVideoSchema).describe('Newest first'),
    download: z.object({
      ...successFields('list'),
      vidnet_video_id: z.string().describe('Channel id'),
      response: z.null(),
    }),
    next_cursor: resultCursorSchema,
  })
  .meta({ id: 'ChannelProfile' });
export type ChannelProfile = z.infer<typeof channelProfileSchema>;

export type ChannelResult = ChannelProfile | VidnetPendingResult | VidnetFailedResult;

/** The download record of a channel job. POST /api/channel/profile returns the profile itself. */
export const channelRecordSchema = z
  .object({
    ...recordFields,
    type: z.literal('list'),
    vidnet_video_id: z.string().describe('The channel as in the request; its id once the status is success'),
  })
  .meta({ id: 'ChannelRecord' });
export type ChannelRecord = z.infer<typeof channelRecordSchema>;

export async function renderChannelResult(
  record: DownloadRecord,
  { contents }: Pick<RenderContext, 'contents'>,
  progress?: Progress,
): Promise<Streamable<ChannelResult>> {
  if (record.status === 'pending')
    return withVideoId(renderPending(record, 'The channel is being fetched.', progress), record);
  if (record.status === 'failed') return withVideoId(renderFailed(record), record);
  const contentsId = record.contentsOf ?? record.id;
  const facts = await keptFacts<ChannelFacts>(contents, contentsId);
  const download = { ...renderSuccess(record, 'list' as const), vidnet_video_id: facts.vidnet_id, response: null };
  const pieces = record.lists?.['videos']?.pieces ?? 0;
  return {
    status: 'success',
    ...wholeChannel(facts),
    cost: download.cost,
    source: 'api',
    videos: contents.list<ChannelVideo>({ recordId: contentsId, name: 'videos', pieces }),
    download,
  };
}

export const channel = {
  workflow: 'channel',
  endpoint: 'channel/videos',
  freshness: 3600,
  prices: { channel: { setting: 'PRICE_CHANNEL', default: '0.010', about: 'Price of a channel profile' } },
  job: jobBaseSchema.extend({
    type: z.literal('list'),
    mediaId: channelPathSchema,
    parameters: z.object({ channel: channelReferenceSchema }),
  }),
  sample: {
    mediaId: SAMPLE.channelId,
    price: 10,
    progress: { stage: 'listing', items: 1, total_items: 2 },
    failure: ['removed', 'There is no such channel.'],
    facts: {
      ...{ vidnet_id: SAMPLE.channelId, title: 'Evening Talks', description: 'Two people talk.', country: 'SE' },
      ...{ url: 'https://www.youtube.com/@evening-talks', thumbnail: SAMPLE.image, total_media: 2 },
      ...{ subscriber_count: 12_840, total_views: 913_022, creation_date: '2019-04-02 17:05:11' },
    },
    lists: {
      videos: [
        {
          ...{ vidnet_id: SAMPLE.videoId, title: 'Shall we take the bridge' },
          ...{ published_at: '2026-03-14 18:00:00', duration: 205 },
        },
        { vidnet_id: 'b7Rk2LmX9sQ', title: 'Before the bridge', published_at: '2026-03-07 18:00:00', duration: 187 },
      ].map(wholeVideo),
    },
  },
  record: channelRecordSchema,
  requestOf: ({ mediaId, parameters }: DownloadRecord) => {
    const { channel: requested } = (parameters ?? {}) as Partial<ChannelParameters>;
    const channelPath = requested === undefined ? mediaId : channelPathOf(requested);
    return { path: '/api/channel/profile', body: { url: VIDNET_PLATFORM_URL + channelPath } };
  },
  renderRecord: (record: DownloadRecord, _context: RecordContext, progress?: Progress): ChannelRecord => ({
    ...renderRecordFields(record, progress),
    vidnet_video_id: record.mediaId,
    type: 'list',
    duration: null,
    ...NO_FILES,
  }),
  render: renderChannelResult,
} as const satisfies Kind;
