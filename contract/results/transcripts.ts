import { z } from 'zod';
import { ulidSchema, vidnetVideoIdSchema } from '../ids.ts';
import { countSchema, durationSchema, moneySchema, platformTimeSchema, timestampSchema } from './fields.ts';
import { vidnetFailedResultSchema, vidnetPendingResultSchema } from './jobs.ts';

const secondsSchema = z
  .string()
  .regex(/^\d+(\.\d{1,3})?$/)
  .meta({ description: 'Seconds as a decimal string', examples: ['12.48'] });

/** A caption line (specification, section 2.7). */
export const captionLineSchema = z
  .object({ dur: secondsSchema, text: z.string(), start: secondsSchema })
  .meta({ id: 'CaptionLine' });
export type TimedText = z.infer<typeof captionLineSchema>;

/** A comment. Replies stand after the comment that they answer and name it in `reply_to`. */
export const commentSchema = z
  .object({
    id: z.string(),
    author: z.string().optional(),
    author_id: z.string().optional().describe("The author's channel"),
    text: z.string(),
    likes: countSchema.optional(),
    published_at: platformTimeSchema.optional(),
    published_at_is_estimated: z.literal(true).optional().describe('The platform said "2 weeks ago" and no date'),
    reply_to: z.string().nullable().describe('The comment that this one answers; null for one that answers the video'),
  })
  .meta({ id: 'Comment' });
export type Comment = z.infer<typeof commentSchema>;

/** The transcript result (specification, section 2.7). What the platform does not tell is left out. */
export const transcriptSchema = z
  .object({
    status: z.literal('ok'),
    video: z.object({
      vidnet_id: vidnetVideoIdSchema,
      link: z.url(),
      title: z.string(),
      description: z.string().optional(),
      publishedAt: platformTimeSchema.optional(),
      duration: durationSchema.optional(),
      viewCount: countSchema.optional(),
      likeCount: countSchema.optional(),
      commentCount: countSchema.optional(),
      channelId: z.string().optional(),
      channelName: z.string().optional(),
      transcriptsWithTimeStamps: z.array(captionLineSchema),
      transcripts: z.string().describe('The full text'),
      comments: z.array(commentSchema).optional().describe('Present when they were asked for'),
    }),
    track: z
      .object({
        language: z.string().describe('BCP 47'),
        kind: z.enum(['manual', 'automatic']),
        name: z.string().optional(),
      })
      .describe('The captions that were used; an addition to the specification'),
    download: z.object({
      id: ulidSchema,
      vidnet_video_id: vidnetVideoIdSchema,
      type: z.literal('captions'),
      cost: moneySchema,
      status: z.literal('success'),
      created_at: timestampSchema,
    }),
  })
  .meta({ id: 'Transcript' });
export type Transcript = z.infer<typeof transcriptSchema>;

/** Answer of POST /api/transcripts and GET /api/transcripts/{downloadID}, and the body of the webhook. */
export const transcriptResultSchema = z
  .discriminatedUnion('status', [transcriptSchema, vidnetPendingResultSchema, vidnetFailedResultSchema])
  .meta({ id: 'TranscriptResult' });
export type TranscriptResult = z.infer<typeof transcriptResultSchema>;
