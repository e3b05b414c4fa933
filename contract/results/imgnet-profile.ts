import { z } from 'zod';
import { ulidSchema } from '../ids.ts';
import { imgnetProfileFieldsSchema } from '../imgnet/profile.ts';
import { moneySchema, timestampSchema } from './fields.ts';
import { failedResultSchema, pendingResultSchema } from './jobs.ts';
import { lastResponseSchema } from './last-response.ts';

const listFields = {
  list_id: ulidSchema.describe('For POST /api/imgnet/list; valid for one hour after the profile was fetched'),
  list_cost: z.number().nonnegative().describe('What the list will cost'),
};

/** The profile of an account (specification, section 2.2). */
export const imgnetProfileSchema = imgnetProfileFieldsSchema
  .extend({
    status: z.literal('success'),
    ...listFields,
    download: z.object({
      id: ulidSchema,
      media_id: z.string().describe('The account, in lower case'),
      type: z.literal('imgnet_profile'),
      cost: moneySchema,
      status: z.literal('success'),
      created_at: timestampSchema,
    }),
  })
  .meta({ id: 'ImgnetProfile' });
export type ImgnetProfile = z.infer<typeof imgnetProfileSchema>;

/** The answer while the profile is fetched. */
export const imgnetProfilePendingSchema = pendingResultSchema
  .extend({
    ...listFields,
    list_cost: listFields.list_cost.describe('The least that the list will cost: its length is not known yet'),
    source: z.literal('api'),
    last_response: lastResponseSchema.optional(),
  })
  .meta({ id: 'ImgnetProfilePending' });
export type ImgnetProfilePending = z.infer<typeof imgnetProfilePendingSchema>;

/** Answer of POST /api/imgnet/profile, and the body of its webhook. */
export const imgnetProfileResultSchema = z
  .discriminatedUnion('status', [imgnetProfileSchema, imgnetProfilePendingSchema, failedResultSchema])
  .meta({ id: 'ImgnetProfileResult' });
export type ImgnetProfileResult = z.infer<typeof imgnetProfileResultSchema>;
