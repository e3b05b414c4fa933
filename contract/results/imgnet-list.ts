import { z } from 'zod';
import { FAILURE_FAULTS, type FailureCode } from '../failures.ts';
import { ulidSchema } from '../ids.ts';
import { postItemSchema } from '../imgnet/posts.ts';
import { reelItemSchema } from '../imgnet/reels.ts';
import { recordStatusSchema } from '../records.ts';
import { countSchema, moneySchema, progressSchema } from './fields.ts';
import { lastResponseSchema } from './last-response.ts';

/** A part of a list, as a download. */
const partFields = <Type extends string>(type: Type) => ({
  id: ulidSchema,
  type: z.literal(type),
  status: recordStatusSchema,
});
const downloadsSchema = z.object({
  posts: z.object({ ...partFields('imgnet_list_posts'), cost: moneySchema }).optional(),
  reels: z.object({ ...partFields('imgnet_list_reels'), cost: moneySchema }).optional(),
});
const lastResponsesSchema = z.object({ posts: lastResponseSchema.optional(), reels: lastResponseSchema.optional() });

/**
 * The list of an account's posts and reels (specification, section 2.3). A part that failed is absent, and
 * `last_response` tells why; a webhook brings the one part that has ended.
 */
export const imgnetListSchema = z
  .object({
    status: z.literal('success'),
    message: z.string(),
    posts: z.array(postItemSchema).optional(),
    reels: z.array(reelItemSchema).optional(),
    posts_count: countSchema.optional(),
    reels_count: countSchema.optional(),
    total_count: countSchema,
    downloads: downloadsSchema,
    completeness: z
      .object({
        expected: countSchema
          .nullable()
          .describe(
            'What the profile counts, posts and reels together; null when it does not tell, or for some days only',
          ),
        received: countSchema,
      })
      .optional()
      .describe('How much of the account is here, when both parts are; an addition to the specification'),
    last_response: lastResponsesSchema.optional().describe('The part that failed'),
  })
  .meta({ id: 'ImgnetList' });
export type ImgnetList = z.infer<typeof imgnetListSchema>;

/** The answer while a part of the list is fetched. */
export const imgnetListPendingSchema = z
  .object({
    status: z.literal('pending'),
    message: z.string(),
    downloads: z.object({
      posts: z.object(partFields('imgnet_list_posts')),
      reels: z.object(partFields('imgnet_list_reels')),
    }),
    total_cost: z.number().nonnegative().describe('What both parts cost if they succeed'),
    posts: z.array(postItemSchema).optional().describe('When only the reels are still fetched; an addition'),
    reels: z.array(reelItemSchema).optional().describe('When only the posts are still fetched; an addition'),
    last_response: lastResponsesSchema.optional().describe('A part that failed within the last 30 minutes'),
    progress: z.object({ posts: progressSchema.optional(), reels: progressSchema.optional() }).optional(),
  })
  .meta({ id: 'ImgnetListPending' });
export type ImgnetListPending = z.infer<typeof imgnetListPendingSchema>;

/** The answer when no part of the list could be had. */
export const imgnetListFailedSchema = z
  .object({
    status: z.literal('failed'),
    message: z.string().describe('A sentence for people'),
    code: z.enum(Object.keys(FAILURE_FAULTS) as [FailureCode, ...FailureCode[]]).describe('Stable, for programs'),
    downloads: downloadsSchema,
    last_response: lastResponsesSchema.optional(),
  })
  .meta({ id: 'ImgnetListFailed' });
export type ImgnetListFailed = z.infer<typeof imgnetListFailedSchema>;

/** Answer of POST /api/imgnet/list, and, with one part, the body of its two webhooks. */
export const imgnetListResultSchema = z
  .discriminatedUnion('status', [imgnetListSchema, imgnetListPendingSchema, imgnetListFailedSchema])
  .meta({ id: 'ImgnetListResult' });
export type ImgnetListResult = z.infer<typeof imgnetListResultSchema>;
