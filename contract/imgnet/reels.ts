import { z } from 'zod';
import { countSchema, secondsSchema, timeSchema, urlSchema, wordSchema } from './fields.ts';
import { videoSecondsOf, videosOf } from './media.ts';
import { coauthorsOf, reelCommentSchema, reelCommentsOf, taggedUserSchema, taggedUsersOf } from './people.ts';
import { publicationOf, type ItemContext } from './publication.ts';
import {
  booleanOf,
  countOf,
  first,
  known,
  listOf,
  secondsOf,
  textOf,
  urlOf,
  wordOf,
  type ImgnetRecord,
} from './tolerant.ts';

const reelItemFields = {
  type: z.literal('reel'),
  post_id: wordSchema.optional().describe('Absent when unknown'),
  description: z.string().optional().describe('The caption; absent when unknown or without one'),
  likes: countSchema.optional().describe('Absent when unknown or hidden'),
  views: countSchema.optional().describe("An older count of the platform's; absent when unknown"),
  video_view_count: countSchema.optional().describe('Absent when unknown'),
  video_play_count: countSchema.optional().describe('Absent when unknown'),
  num_comments: countSchema.optional().describe('Absent when unknown'),
  date_posted: timeSchema.optional().describe('ISO 8601 UTC; absent when unknown'),
  user_posted: wordSchema.optional().describe('Who published it; may be a co-author. Absent when unknown'),
  account: wordSchema.optional().describe('Whose list it is in, or its owner; absent when unknown'),
  video_url: urlSchema.optional().describe("The platform's own link; it expires. Absent when unknown"),
  thumbnail: urlSchema.optional().describe('Absent when unknown'),
  url: urlSchema,
  shortcode: wordSchema,
  content_type: z.literal('reel'),
  content_id: wordSchema.optional().describe('Absent when unknown'),
  product_type: wordSchema.optional().describe('Such as clips; absent when unknown'),
  length: secondsSchema.optional().describe('Whole seconds; absent when unknown'),
  videos_duration: secondsSchema.optional().describe('The same time as length'),
  is_verified: z.boolean().optional().describe('Whether the owner is; absent when unknown'),
  videos: z.array(urlSchema).optional().describe('Absent when unknown'),
};
/** A reel in a list (specification, section 2.3). */
export const reelItemSchema = z.object(reelItemFields).meta({ id: 'ImgnetReelItem' });
export type ReelItem = z.infer<typeof reelItemSchema>;

/** The platform's fields of a reel (specification, section 2.4). */
export const reelContentSchema = z
  .object({
    ...reelItemFields,
    hashtags: z.array(z.string()).optional().describe('With their #; absent when unknown or without any'),
    is_paid_partnership: z.boolean().optional().describe('Absent when unknown'),
    followers: countSchema.optional().describe("The owner's; absent when unknown"),
    posts_count: countSchema.optional().describe("The owner's; absent when unknown"),
    latest_comments: z.array(reelCommentSchema).optional().describe('Absent when unknown'),
    tagged_users: z.array(taggedUserSchema).optional().describe('Absent when unknown or without any'),
    coauthor_producers: z.array(wordSchema).optional().describe('User names; absent when unknown or without any'),
  })
  .meta({ id: 'ImgnetReelContent' });
export type ReelContent = z.infer<typeof reelContentSchema>;

/**
 * @param record of the dataset of reels, or of a reel in that of posts
 * @returns undefined for a record that names no reel
 */
export function reelItemOf(record: ImgnetRecord, context: ItemContext): ReelItem | undefined {
  const publication = publicationOf(record, 'reel', context);
  if (publication === undefined) return undefined;
  const videos = videosOf(record);
  // A reel is one video.
  const seconds = secondsOf(record['length']) ?? videoSecondsOf(record);
  return known<ReelItem>({
    type: 'reel',
    ...publication,
    post_id: wordOf(record['post_id']),
    description: textOf(record['description']),
    likes: countOf(record['likes']),
    views: countOf(record['views']),
    video_view_count: countOf(record['video_view_count']),
    video_play_count: countOf(record['video_play_count']),
    num_comments: countOf(record['num_comments']),
    video_url: first([record['video_url'], videos?.[0]], urlOf),
    thumbnail: urlOf(record['thumbnail']),
    content_type: 'reel',
    content_id: wordOf(record['content_id']),
    product_type: wordOf(record['product_type']),
    length: seconds,
    videos_duration: seconds,
    is_verified: booleanOf(record['is_verified']),
    videos,
  });
}

/**
 * @param record of the dataset of reels, or of a reel in that of posts
 * @returns undefined for a record that names no reel
 */
export function reelContentOf(record: ImgnetRecord, context: ItemContext): ReelContent | undefined {
  const item = reelItemOf(record, context);
  if (item === undefined) return undefined;
  return known<ReelContent>({
    ...item,
    hashtags: listOf(record['hashtags'], wordOf),
    is_paid_partnership: booleanOf(record['is_paid_partnership']),
    followers: countOf(record['followers']),
    posts_count: countOf(record['posts_count']),
    latest_comments: reelCommentsOf(record),
    tagged_users: taggedUsersOf(record),
    coauthor_producers: coauthorsOf(record),
  });
}
