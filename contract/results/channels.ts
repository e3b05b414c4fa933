import { z } from 'zod';
import { ulidSchema } from '../ids.ts';
import { countSchema, moneySchema, platformTimeSchema, timestampSchema } from './fields.ts';
import { vidnetFailedResultSchema, vidnetPendingResultSchema } from './jobs.ts';

/** A video in a channel's list (specification, section 2.6). */
export const channelVideoSchema = z
  .object({
    vidnet_id: z.string(),
    title: z.string(),
    thumbnail: z.url().optional(),
    published_at: platformTimeSchema.optional(),
    duration: countSchema.optional().describe('Seconds'),
  })
  .meta({ id: 'ChannelVideo' });
export type ChannelVideoItem = z.infer<typeof channelVideoSchema>;

/** The channel profile (specification, section 2.6). What the platform does not tell is left out. */
export const channelProfileSchema = z
  .object({
    status: z.literal('success'),
    vidnet_id: z.string().describe('Channel id'),
    title: z.string(),
    description: z.string().optional(),
    url: z.url(),
    thumbnail: z.url().optional(),
    country: z.string().optional(),
    total_media: countSchema.optional(),
    subscriber_count: countSchema.optional(),
    total_views: countSchema.optional(),
    creation_date: platformTimeSchema.optional(),
    cost: moneySchema,
    source: z.literal('api'),
    videos: z.array(channelVideoSchema).describe('Newest first'),
    download: z.object({
      id: ulidSchema,
      vidnet_video_id: z.string().describe('Channel id'),
      type: z.literal('list'),
      cost: moneySchema,
      status: z.literal('success'),
      response: z.null(),
      created_at: timestampSchema,
    }),
  })
  .meta({ id: 'ChannelProfile' });
export type ChannelProfile = z.infer<typeof channelProfileSchema>;

/** Answer of POST /api/channel/profile, and the body of its webhook. */
export const channelResultSchema = z
  .discriminatedUnion('status', [channelProfileSchema, vidnetPendingResultSchema, vidnetFailedResultSchema])
  .meta({ id: 'ChannelResult' });
export type ChannelResult = z.infer<typeof channelResultSchema>;
