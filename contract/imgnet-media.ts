import { z } from 'zod';
import { countSchema } from './fields.ts';

/**
 * The fields of posts and reels that several kinds of the photo platform have. Those that are optional are absent when the
 * platform does not tell them.
 */
export const secondsSchema = countSchema.describe('Whole seconds');
export const wordSchema = z.string().min(1);
export const urlSchema = z.url({ protocol: /^https?$/ });
export const timeSchema = z.iso
  .datetime()
  .meta({ description: 'ISO 8601 UTC', examples: ['2026-03-14T18:00:00.000Z'] });
export const timeOrDaySchema = z
  .union([z.iso.datetime(), z.iso.date()])
  .describe('ISO 8601 UTC; only the day where the platform tells no more');

export const imageSchema = z
  .object({ instagram_id: wordSchema.optional(), url: urlSchema })
  .meta({ id: 'ImgnetImage' });
export type ImgnetImage = z.infer<typeof imageSchema>;

/** The sound of a post, as the platform names it. */
export const soundSchema = z
  .object({
    audio_asset_id: wordSchema.optional(),
    ig_artist_id: wordSchema.optional(),
    ig_artist_username: wordSchema.optional(),
    original_audio_title: z.string().optional(),
  })
  .meta({ id: 'ImgnetSound' });
export type ImgnetSound = z.infer<typeof soundSchema>;

/** A slide of a post. */
export const slideSchema = z
  .object({
    index: countSchema.describe('From 0, in the order of the post'),
    type: z.string().optional().describe('In lower case, such as photo or video'),
    url: urlSchema.optional().describe("The platform's own link; it expires"),
    instagram_id: wordSchema.optional(),
  })
  .meta({ id: 'ImgnetSlide' });
export type ImgnetSlide = z.infer<typeof slideSchema>;

const commentFields = {
  comment: z.string(),
  user_commenting: wordSchema.optional(),
  likes: countSchema.optional(),
};
/** A comment of a post. */
export const postCommentSchema = z
  .object({ ...commentFields, created_at: timeOrDaySchema.optional() })
  .meta({ id: 'ImgnetPostComment' });
export type PostComment = z.infer<typeof postCommentSchema>;
/** A comment of a reel: its date has another name. */
export const reelCommentSchema = z
  .object({ ...commentFields, date_of_comment: timeOrDaySchema.optional() })
  .meta({ id: 'ImgnetReelComment' });
export type ReelComment = z.infer<typeof reelCommentSchema>;

export const taggedUserSchema = z
  .object({ username: wordSchema, full_name: z.string().optional(), is_verified: z.boolean().optional() })
  .meta({ id: 'ImgnetTaggedUser' });
export type TaggedUser = z.infer<typeof taggedUserSchema>;

export const partnershipSchema = z
  .object({ profile_id: wordSchema.optional(), username: wordSchema.optional(), profile_url: urlSchema.optional() })
  .meta({ id: 'ImgnetPartnership' });
export type Partnership = z.infer<typeof partnershipSchema>;

export const postItemFields = {
  type: z.literal('post'),
  instagram_id: wordSchema.optional().describe("The platform's numeric id of the post; absent when unknown"),
  caption: z.string().optional().describe('Absent when unknown or without one'),
  description: z.string().nullable().describe('The caption; null when unknown or without one'),
  likes: countSchema.optional().describe('Absent when unknown or hidden'),
  comments: countSchema.optional().describe('The same number as num_comments'),
  num_comments: countSchema.optional().describe('Absent when unknown'),
  date_posted: timeSchema.optional().describe('ISO 8601 UTC; absent when unknown'),
  datetime: timeSchema.optional().describe('The same time as date_posted'),
  user_posted: wordSchema.optional().describe('Who published it; may be a co-author. Absent when unknown'),
  account: wordSchema.optional().describe('Whose list it is in, or its owner; absent when unknown'),
  image_url: urlSchema.optional().describe("The platform's own link; it expires. Absent when unknown"),
  video_url: urlSchema.nullable().describe('The first video; null when unknown or without one'),
  url: urlSchema,
  shortcode: wordSchema,
  content_type: wordSchema.optional().describe('In lower case: image, video, carousel; absent when unknown'),
  photos_number: countSchema.optional().describe('Absent when unknown'),
  videos_duration: countSchema.nullable().describe('Whole seconds of all videos; null when unknown or without one'),
  location: z.object({ name: wordSchema }).optional().describe('Absent when unknown or without one'),
  post_id: wordSchema.optional().describe('Absent when unknown'),
  photos: z.array(urlSchema).optional().describe('Absent when unknown'),
  videos: z.array(urlSchema).optional().describe('Absent when unknown'),
  images: z.array(imageSchema).optional().describe('Absent when unknown'),
  audio: z.array(soundSchema).optional().describe('Absent when unknown or without sound'),
};
/** A post in a list (specification, section 2.3). */
export const postItemSchema = z.object(postItemFields).meta({ id: 'ImgnetPostItem' });
export type PostItem = z.infer<typeof postItemSchema>;

export const reelItemFields = {
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
