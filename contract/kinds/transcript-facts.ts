import { z } from 'zod';
import { countSchema, durationSchema, platformTimeSchema } from '../http/fields.ts';
import { vidnetVideoIdSchema } from '../ids.ts';
import type { Thousandths } from '../money.ts';
import { withNullDefaults, type Sparse } from './sparse.ts';

/** The stored facts. Times of lines are numbers here, for export formats, and decimal strings in responses. */
export interface TranscriptFacts {
  readonly video: VideoFacts;
  readonly track: CaptionTrack | SpeechTrack;
  readonly lines: readonly TranscriptLine[];
  /** Set for a transcript of what is spoken, of which there are no lines until it is transcribed. */
  readonly speech?: SpeechOrigin;
}

interface SpeechTrack extends Omit<CaptionTrack, 'kind'> {
  readonly kind: 'speech';
}

interface SpeechOrigin {
  /** The job with the words and speakers; absent for media without sound. */
  readonly recordId?: string | undefined;
  /** The charge of the transcription, in addition to that of this job. */
  readonly cost: Thousandths;
  /** Why there are no captions. */
  readonly reason?: string | undefined;
}

export interface TranscriptLine extends CaptionLine {
  readonly speaker?: string;
}

export const videoIdField = vidnetVideoIdSchema.nullable().describe('Null for pages of other sites');
/** The platform's fields of a video. A field that the platform omits is null. */
export const videoFieldsSchema = z.object({
  vidnet_id: videoIdField,
  link: z.url(),
  title: z.string(),
  description: z.string().nullable(),
  publishedAt: platformTimeSchema.nullable(),
  duration: durationSchema.nullable(),
  viewCount: countSchema.nullable(),
  likeCount: countSchema.nullable(),
  commentCount: countSchema.nullable(),
  channelId: z.string().nullable(),
  channelName: z.string().nullable(),
});
export const wholeVideo = withNullDefaults(videoFieldsSchema);

export interface VideoFacts extends Omit<Sparse<z.infer<typeof videoFieldsSchema>>, 'vidnet_id' | 'duration'> {
  /** Absent for other sites. */
  readonly videoId?: string | undefined;
  readonly durationSeconds?: number | undefined;
}

export interface CaptionTrack {
  /** Canonical BCP 47, such as `pt-BR`. */
  readonly language: string;
  readonly kind: 'manual' | 'automatic';
  /** The name of the track on the platform. */
  readonly name?: string | undefined;
}

export interface CaptionLine {
  readonly startSeconds: number;
  readonly durationSeconds: number;
  readonly text: string;
}

/** A comment. Replies follow the comment to which they reply and name it in `reply_to`. */
export const commentSchema = z
  .object({
    id: z.string(),
    author: z.string().nullable(),
    author_id: z.string().nullable().describe("The author's channel"),
    text: z.string(),
    likes: countSchema.nullable(),
    published_at: platformTimeSchema.nullable(),
    published_at_is_estimated: z.literal(true).optional().describe('The platform said "2 weeks ago" and no date'),
    reply_to: z.string().nullable().describe('The comment that this one answers; null for one that answers the video'),
  })
  .meta({ id: 'Comment' });
export type Comment = z.infer<typeof commentSchema>;
/** Comments are stored as they are in answers. */
export const wholeComment = withNullDefaults(commentSchema);
export type VideoComment = Sparse<Comment>;
