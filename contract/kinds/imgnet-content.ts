import { z } from 'zod';
import { keptFacts } from './contents.ts';
import { factsRecordSchema, renderFactsRecord } from '../http/download-schemas.ts';
import { countSchema, jobFields, moneySchema, pageSchema, type Progress } from '../http/fields.ts';
import {
  partnershipSchema,
  postCommentSchema,
  postItemFields,
  reelCommentSchema,
  reelItemFields,
  slideSchema,
  taggedUserSchema,
  urlSchema,
  wordSchema,
  samplePost,
  samplePostFailure,
  sampleReel,
} from './imgnet-media.ts';
import { postUrlOf } from '../urls/imgnet-urls.ts';
import {
  failedResultSchema,
  lastResponseSchema,
  pendingResultSchema,
  renderFailed,
  renderPending,
  renderSuccess,
  successFields,
  type JobNews,
} from '../http/job-answers.ts';
import type { JobInput } from '../job-input.ts';
import type { Kind, PricesOf, RenderContext } from './kind.ts';
import { formatMoney, type Thousandths } from '../money.ts';
import type { DownloadRecord } from '../download-record.ts';
import { withNullDefaults, type Sparse } from './sparse.ts';
import { POST_URL_PATTERN } from '../urls/url-patterns.ts';
import { jobBaseSchema, postSchema, shortcodeSchema, thousandthsSchema } from '../job-schema.ts';
import { SAMPLE } from './sample.ts';

/** The body of POST /api/imgnet/content and …/audio (specification, section 4.1). Unknown fields are ignored. */
export const imgnetPostRequestSchema = z
  .object({
    url: pageSchema(
      'URL of a post (`/p/CODE/`) or a reel (`/reel/CODE/`)',
      POST_URL_PATTERN,
      'https://www.instagram.com/reel/DAbCdEfGhIj/',
    ),
    ...jobFields,
  })
  .meta({ id: 'ImgnetPostRequest' });
export type ImgnetPostRequest = z.infer<typeof imgnetPostRequestSchema>;

const parametersSchema = z.object({
  post: postSchema,
  /** The part of the price for the owner's profile, which is charged only if it is fetched for this job. */
  profilePrice: thousandthsSchema,
});
export type ContentParameters = Readonly<z.infer<typeof parametersSchema>>;
export type ContentJob = JobInput & { readonly parameters: ContentParameters };

/** The fields of a post that are not in the items of a list. */
export const postContentFields = {
  hashtags: z.array(z.string()).describe('With their #; empty when unknown or without any'),
  pk: wordSchema.nullable().describe('Null when unknown'),
  content_id: wordSchema.nullable().describe('Null when unknown'),
  thumbnail: urlSchema.nullable().describe('Null when unknown'),
  is_verified: z.boolean().nullable().describe('Whether the owner is; null when unknown'),
  is_paid_partnership: z.boolean().nullable().describe('Null when unknown'),
  user_posted_id: wordSchema.nullable().describe('Null when unknown'),
  profile_url: urlSchema.nullable().describe('Null when unknown'),
  alt_text: z.string().nullable().describe('Null when unknown or without one'),
  followers: countSchema.nullable().describe("The owner's; null when unknown"),
  posts_count: countSchema.nullable().describe("The owner's; null when unknown"),
  profile_image_link: urlSchema.nullable().describe('Null when unknown'),
  video_view_count: countSchema.nullable().describe('Null when unknown or without a video'),
  video_play_count: countSchema.nullable().describe('Null when unknown or without a video'),
  product_type: wordSchema.nullable().describe('Such as feed; null when unknown'),
  is_pinned: z.boolean().nullable().describe('Null when unknown'),
  latest_comments: z.array(postCommentSchema).describe('Empty when unknown'),
  tagged_users: z.array(taggedUserSchema).describe('Empty when unknown or without any'),
  coauthor_producers: z.array(wordSchema).describe('User names; empty when unknown or without any'),
  partnership_details: z.array(partnershipSchema).describe('Empty when unknown or without any'),
  post_content: z.array(slideSchema).describe('The slides in order; empty when unknown'),
};
/** The platform's fields of a post (specification, section 2.4). */
export const postContentSchema = z
  .object({ ...postItemFields, ...postContentFields })
  .meta({ id: 'ImgnetPostContent' });
export type PostContent = Sparse<z.infer<typeof postContentSchema>>;
const wholePost = withNullDefaults(postContentSchema);

/** The fields of a reel that are not in the items of a list. */
export const reelContentFields = {
  hashtags: z.array(z.string()).describe('With their #; empty when unknown or without any'),
  is_paid_partnership: z.boolean().nullable().describe('Null when unknown'),
  followers: countSchema.nullable().describe("The owner's; null when unknown"),
  posts_count: countSchema.nullable().describe("The owner's; null when unknown"),
  latest_comments: z.array(reelCommentSchema).describe('Empty when unknown'),
  tagged_users: z.array(taggedUserSchema).describe('Empty when unknown or without any'),
  coauthor_producers: z.array(wordSchema).describe('User names; empty when unknown or without any'),
};
/** The platform's fields of a reel (specification, section 2.4). */
export const reelContentSchema = z
  .object({ ...reelItemFields, ...reelContentFields })
  .meta({ id: 'ImgnetReelContent' });
export type ReelContent = Sparse<z.infer<typeof reelContentSchema>>;
const wholeReel = withNullDefaults(reelContentSchema);

export type ContentFacts = PostContent | ReelContent;

const answerFields = {
  status: z.literal('success'),
  source: z.literal('api'),
  cost: moneySchema.describe("What was charged, with the owner's profile when it was fetched for this; an addition"),
  download: z
    .object({ ...successFields('imgnet_post'), media_id: z.string().describe('The shortcode') })
    .describe('The job that fetched it; an addition to the specification'),
};

export const imgnetPostSchema = postContentSchema.extend(answerFields).meta({ id: 'ImgnetPost' });
export type ImgnetPost = z.infer<typeof imgnetPostSchema>;

export const imgnetReelSchema = reelContentSchema.extend(answerFields).meta({ id: 'ImgnetReel' });
export type ImgnetReel = z.infer<typeof imgnetReelSchema>;

export const imgnetContentPendingSchema = pendingResultSchema
  .extend({
    cost: moneySchema.describe(
      'The price of the job; it includes the profile of the owner until it is known that this need not be fetched',
    ),
    last_response: lastResponseSchema.optional(),
  })
  .meta({ id: 'ImgnetContentPending' });

export const imgnetContentResultSchema = z
  .union([imgnetPostSchema, imgnetReelSchema, imgnetContentPendingSchema, failedResultSchema])
  .meta({ id: 'ImgnetContentResult' });
export type ImgnetContentResult = z.infer<typeof imgnetContentResultSchema>;

const prices = {
  post: { setting: 'PRICE_POST', default: '0.005', about: 'Price of the content of a post or reel' },
} as const;

/** The price includes the owner's profile, which is charged only if it has to be fetched. */
export function contentPrice({ post, profile }: PricesOf<typeof prices> & { readonly profile: Thousandths }): number {
  return post + profile;
}

export async function renderImgnetContentResult(
  record: DownloadRecord,
  { contents }: Pick<RenderContext, 'contents'>,
  { progress, lastResponse }: JobNews = {},
): Promise<ImgnetContentResult> {
  if (record.status === 'pending') {
    const pending = renderPending(record, 'The content is being fetched.', progress);
    return { ...pending, last_response: lastResponse };
  }
  if (record.status === 'failed') return renderFailed(record);
  const content = await keptFacts<ContentFacts>(contents, record.id);
  return {
    ...(content.type === 'post' ? wholePost(content) : wholeReel(content)),
    status: 'success',
    source: 'api',
    cost: formatMoney(record.charge),
    download: { ...renderSuccess(record, 'imgnet_post'), media_id: record.mediaId },
  };
}

export const imgnetContent = {
  workflow: 'imgnetContent',
  endpoint: 'imgnet/content',
  freshness: 3600,
  prices,
  job: jobBaseSchema
    .extend({ type: z.literal('imgnet_post'), mediaId: shortcodeSchema, parameters: parametersSchema })
    .refine(({ price, parameters }) => parameters.profilePrice <= price, {
      path: ['parameters', 'profilePrice'],
      error: 'must not be more than the price',
    }),
  sample: {
    mediaId: SAMPLE.shortcode,
    failure: samplePostFailure,
    progress: { stage: 'fetching' },
    parameters: { post: { kind: 'post', shortcode: SAMPLE.shortcode }, profilePrice: 0 },
    facts: {
      ...{ ...samplePost, hashtags: ['#bridge'], followers: 5_120, posts_count: 2 },
      latest_comments: [{ comment: 'Open again?', user_commenting: 'ferry', likes: 2, created_at: SAMPLE.createdAt }],
      post_content: [{ index: 0, type: 'photo', url: SAMPLE.image, instagram_id: '3500000002' }],
    },
    other: {
      summary: 'A reel',
      parameters: { post: { kind: 'reel', shortcode: SAMPLE.shortcode }, profilePrice: 0 },
      facts: { ...sampleReel, hashtags: ['#bridge'], followers: 5_120 },
    },
  },
  record: factsRecordSchema,
  requestOf: ({ parameters }: DownloadRecord) => ({
    path: '/api/imgnet/content',
    body: { url: postUrlOf((parameters as ContentParameters).post) },
  }),
  renderRecord: renderFactsRecord('imgnet_post'),
  render: (record: DownloadRecord, context: RenderContext, progress?: Progress) =>
    renderImgnetContentResult(record, context, { progress }),
} as const satisfies Kind;
