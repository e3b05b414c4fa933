import { z } from 'zod';
import { keptFacts } from './contents.ts';
import { factsRecordSchema, renderFactsRecord } from '../http/download-schemas.ts';
import { countSchema, jobFields, pageSchema, type Progress } from '../http/fields.ts';
import { ulidSchema } from '../ids.ts';
import { urlSchema, wordSchema } from './imgnet-media.ts';
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
import type { Kind, RenderContext } from './kind.ts';
import type { DownloadRecord } from '../download-record.ts';
import { withNullDefaults, type Sparse } from './sparse.ts';
import { PROFILE_URL_PATTERN } from '../urls/url-patterns.ts';
import { listPrice } from './list-price.ts';
import { accountSchema, jobBaseSchema } from '../job-schema.ts';
import { SAMPLE } from './sample.ts';

/** The body of POST /api/imgnet/profile (specification, section 4.1). Unknown fields are ignored. */
export const imgnetProfileRequestSchema = z
  .object({
    url: pageSchema('URL of a profile, or `@name`', PROFILE_URL_PATTERN, 'https://www.instagram.com/evening.talks/'),
    ...jobFields,
  })
  .meta({ id: 'ImgnetProfileRequest' });
export type ImgnetProfileRequest = z.infer<typeof imgnetProfileRequestSchema>;

/** The parameters of a profile that is fetched for the content of a post. A requested profile has none. */
const ownerParametersSchema = z.object({
  /** The record of the content job that pays for the profile. */
  paidBy: ulidSchema,
});
export type OwnerProfileParameters = Readonly<z.infer<typeof ownerParametersSchema>>;

export const relatedAccountSchema = z
  .object({
    instagram_id: wordSchema.nullable(),
    user_name: wordSchema.nullable(),
    profile_name: z.string().nullable(),
    is_private: z.boolean().nullable(),
    is_verified: z.boolean().nullable(),
  })
  .meta({ id: 'ImgnetRelatedAccount' });
export type RelatedAccount = Sparse<z.infer<typeof relatedAccountSchema>>;

/** The platform's fields of a profile result (specification, section 2.2). */
export const imgnetProfileFieldsSchema = z
  .object({
    account: wordSchema.describe('User name'),
    fbid: wordSchema.nullable().describe('Null when unknown'),
    instagram_id: wordSchema.nullable().describe("The platform's numeric user id; null when unknown"),
    profile_name: z.string().nullable().describe('Null when unknown'),
    full_name: z.string().nullable().describe('Null when unknown'),
    biography: z.string().nullable().describe('Null when unknown or without one'),
    profile_image_link: urlSchema.nullable().describe("The platform's own link; it expires. Null when unknown"),
    followers: countSchema.nullable().describe('Null when unknown'),
    following: countSchema.nullable().describe('Null when unknown'),
    posts_count: countSchema.nullable().describe('Null when unknown'),
    highlights_count: countSchema.nullable().describe('Null when unknown'),
    is_verified: z.boolean().nullable().describe('Null when unknown'),
    is_private: z.boolean().nullable().describe('Null when unknown'),
    is_business_account: z.boolean().nullable().describe('Null when unknown'),
    is_professional_account: z.boolean().nullable().describe('Null when unknown'),
    is_joined_recently: z.boolean().nullable().describe('Null when unknown'),
    has_channel: z.boolean().nullable().describe('Null when unknown'),
    avg_engagement: z.number().nullable().describe('Share of the followers, such as 0.0582; null when unknown'),
    category_name: z.string().nullable().describe('Null when unknown or without one'),
    business_address: z.string().nullable().describe('Parts joined by commas; null when unknown or without one'),
    email: z.string().nullable().describe('Null when unknown or without one'),
    external_url: z.string().nullable().describe('The first link of the profile; null when unknown or without one'),
    profile_url: urlSchema,
    url: urlSchema,
    bio_hashtags: z.array(z.string()).describe('Empty when unknown or without any'),
    highlights: z.array(z.string()).describe('Titles of the highlights; empty when unknown'),
    related_accounts: z.array(relatedAccountSchema).describe('Empty when unknown'),
  })
  .meta({ id: 'ImgnetProfileFields' });
export type ImgnetProfileFields = Sparse<z.infer<typeof imgnetProfileFieldsSchema>>;
const wholeProfile = withNullDefaults(imgnetProfileFieldsSchema);

const listFields = {
  list_id: ulidSchema.describe('For POST /api/imgnet/list; valid for one hour after this answer'),
  list_cost: z.number().nonnegative().describe('The price of the list'),
};

export const imgnetProfileSchema = imgnetProfileFieldsSchema
  .extend({
    status: z.literal('success'),
    ...listFields,
    download: z.object({
      ...successFields('imgnet_profile'),
      media_id: z.string().describe('The account, in lower case'),
    }),
  })
  .meta({ id: 'ImgnetProfile' });
export type ImgnetProfile = z.infer<typeof imgnetProfileSchema>;

export const imgnetProfilePendingSchema = pendingResultSchema
  .extend({
    ...listFields,
    list_cost: listFields.list_cost.describe('The minimum price of the list, whose length is not known yet'),
    source: z.literal('api'),
    last_response: lastResponseSchema.optional(),
  })
  .meta({ id: 'ImgnetProfilePending' });
export type ImgnetProfilePending = z.infer<typeof imgnetProfilePendingSchema>;

export const imgnetProfileResultSchema = z
  .discriminatedUnion('status', [imgnetProfileSchema, imgnetProfilePendingSchema, failedResultSchema])
  .meta({ id: 'ImgnetProfileResult' });
export type ImgnetProfileResult = z.infer<typeof imgnetProfileResultSchema>;

/** Renders the profile. The id of its record is also the id of its list. */
export async function renderImgnetProfileResult(
  record: DownloadRecord,
  { contents, prices, lists }: Pick<RenderContext, 'contents' | 'prices' | 'lists'>,
  { progress, lastResponse }: JobNews = {},
): Promise<ImgnetProfileResult> {
  const list = (postsCount?: number) => ({ list_id: record.id, list_cost: listPrice(prices, postsCount) / 1000 });
  if (record.status !== 'failed') await lists.handOut(record.id);
  if (record.status === 'pending') {
    const pending = renderPending(record, 'The profile is being fetched.', progress);
    return { ...pending, ...list(), source: 'api', last_response: lastResponse };
  }
  if (record.status === 'failed') return renderFailed(record);
  const fields = await keptFacts<ImgnetProfileFields>(contents, record.id);
  return {
    status: 'success',
    ...wholeProfile(fields),
    ...list(fields.posts_count),
    download: { ...renderSuccess(record, 'imgnet_profile'), media_id: record.mediaId },
  };
}

export const imgnetProfile = {
  workflow: 'imgnetProfile',
  endpoint: 'imgnet/profile',
  freshness: 3600,
  prices: {
    profile: { setting: 'PRICE_PROFILE', default: '0.010', about: 'Price of a profile of the photo platform' },
  },
  job: jobBaseSchema.extend({
    type: z.literal('imgnet_profile'),
    mediaId: accountSchema,
    parameters: ownerParametersSchema.exactOptional(),
  }),
  sample: {
    mediaId: SAMPLE.account,
    price: 10,
    failure: ['removed', 'There is no account of this name.'],
    progress: { stage: 'fetching' },
    facts: {
      ...{ account: SAMPLE.account, profile_name: 'Evening Talks', full_name: 'Evening Talks', posts_count: 2 },
      ...{ biography: 'Two people talk. #bridges', bio_hashtags: ['#bridges'], followers: 5_120, following: 48 },
      profile_url: `${SAMPLE.site}/${SAMPLE.account}/`,
      url: `${SAMPLE.site}/${SAMPLE.account}/`,
      profile_image_link: SAMPLE.image,
      ...{ is_verified: false, is_private: false, is_business_account: true, avg_engagement: 0.0582 },
    },
  },
  record: factsRecordSchema,
  requestOf: ({ mediaId }: DownloadRecord) => ({ path: '/api/imgnet/profile', body: { url: `@${mediaId}` } }),
  renderRecord: renderFactsRecord('imgnet_profile'),
  render: (record: DownloadRecord, context: RenderContext, progress?: Progress) =>
    renderImgnetProfileResult(record, context, { progress }),
} as const satisfies Kind;
