import { z } from 'zod';
import { ulidSchema } from '../ids.ts';
import { postContentSchema } from '../imgnet/posts.ts';
import { reelContentSchema } from '../imgnet/reels.ts';
import { moneySchema, timestampSchema } from './fields.ts';
import { failedResultSchema, pendingResultSchema } from './jobs.ts';
import { lastResponseSchema } from './last-response.ts';

const answerFields = {
  status: z.literal('success'),
  source: z.literal('api'),
  cost: moneySchema.describe("What was charged, with the owner's profile when it was fetched for this; an addition"),
  download: z
    .object({
      id: ulidSchema,
      media_id: z.string().describe('The shortcode'),
      type: z.literal('imgnet_post'),
      cost: moneySchema,
      status: z.literal('success'),
      created_at: timestampSchema,
    })
    .describe('The job that fetched it; an addition to the specification'),
};

/** A post (specification, section 2.4). What the platform does not tell is left out. */
export const imgnetPostSchema = postContentSchema.extend(answerFields).meta({ id: 'ImgnetPost' });
export type ImgnetPost = z.infer<typeof imgnetPostSchema>;

/** A reel (specification, section 2.4). What the platform does not tell is left out. */
export const imgnetReelSchema = reelContentSchema.extend(answerFields).meta({ id: 'ImgnetReel' });
export type ImgnetReel = z.infer<typeof imgnetReelSchema>;

export const imgnetContentSchema = z
  .discriminatedUnion('type', [imgnetPostSchema, imgnetReelSchema])
  .meta({ id: 'ImgnetContent' });
export type ImgnetContent = z.infer<typeof imgnetContentSchema>;

/** The answer while the content is fetched. */
export const imgnetContentPendingSchema = pendingResultSchema
  .extend({
    cost: moneySchema.describe('What the job costs at most: with the profile of the owner, if that has to be fetched'),
    last_response: lastResponseSchema.optional(),
  })
  .meta({ id: 'ImgnetContentPending' });
export type ImgnetContentPending = z.infer<typeof imgnetContentPendingSchema>;

/** Answer of POST /api/imgnet/content, and the body of its webhook. */
export const imgnetContentResultSchema = z
  .union([imgnetPostSchema, imgnetReelSchema, imgnetContentPendingSchema, failedResultSchema])
  .meta({ id: 'ImgnetContentResult' });
export type ImgnetContentResult = z.infer<typeof imgnetContentResultSchema>;
