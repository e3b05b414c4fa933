import { z } from 'zod';
import { countSchema, timestampSchema } from '../http/fields.ts';
import { withNullDefaults, type Sparse } from './sparse.ts';
import { SAMPLE } from './sample.ts';

/** A value that the platform omits is null or an empty list in an answer, and absent in the stored facts. */
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
  .object({ instagram_id: wordSchema.nullable(), url: urlSchema })
  .meta({ id: 'ImgnetImage' });
export type ImgnetImage = Sparse<z.infer<typeof imageSchema>>;

export const soundSchema = z
  .object({
    audio_asset_id: wordSchema.nullable(),
    ig_artist_id: wordSchema.nullable(),
    ig_artist_username: wordSchema.nullable(),
    original_audio_title: z.string().nullable(),
  })
  .meta({ id: 'ImgnetSound' });
export type ImgnetSound = Sparse<z.infer<typeof soundSchema>>;

export const slideSchema = z
  .object({
    index: countSchema.describe('From 0, in the order of the post'),
    type: z.string().nullable().describe('In lower case, such as photo or video'),
    url: urlSchema.nullable().describe("The platform's own link; it expires"),
    instagram_id: wordSchema.nullable(),
  })
  .meta({ id: 'ImgnetSlide' });
export type ImgnetSlide = Sparse<z.infer<typeof slideSchema>>;

const commentFields = {
  comment: z.string(),
  user_commenting: wordSchema.nullable(),
  likes: countSchema.nullable(),
};
export const postCommentSchema = z
  .object({
    ...commentFields,
    created_at: timestampSchema.nullable().describe('Where only the day is known, its midnight'),
  })
  .meta({ id: 'ImgnetPostComment' });
export type PostComment = Sparse<z.infer<typeof postCommentSchema>>;
/** A comment of a reel, whose date has another name. */
export const reelCommentSchema = z
  .object({ ...commentFields, date_of_comment: timeOrDaySchema.nullable() })
  .meta({ id: 'ImgnetReelComment' });
export type ReelComment = Sparse<z.infer<typeof reelCommentSchema>>;

export const taggedUserSchema = z
  .object({ username: wordSchema, full_name: z.string().nullable(), is_verified: z.boolean().nullable() })
  .meta({ id: 'ImgnetTaggedUser' });
export type TaggedUser = Sparse<z.infer<typeof taggedUserSchema>>;

export const partnershipSchema = z
  .object({ profile_id: wordSchema.nullable(), username: wordSchema.nullable(), profile_url: urlSchema.nullable() })
  .meta({ id: 'ImgnetPartnership' });
export type Partnership = Sparse<z.infer<typeof partnershipSchema>>;

export const postItemFields = {
  type: z.literal('post'),
  instagram_id: wordSchema.nullable().describe("The platform's numeric id of the post; null when unknown"),
  caption: z.string().nullable().describe('Null when unknown or without one'),
  description: z.string().nullable().describe('The caption; null when unknown or without one'),
  likes: countSchema.nullable().describe('Null when unknown or hidden'),
  comments: countSchema.nullable().describe('The same number as num_comments'),
  num_comments: countSchema.nullable().describe('Null when unknown'),
  date_posted: timeSchema.nullable().describe('ISO 8601 UTC; null when unknown'),
  datetime: timeSchema.nullable().describe('The same time as date_posted'),
  user_posted: wordSchema.nullable().describe('Who published it; may be a co-author. Null when unknown'),
  account: wordSchema.nullable().describe('Whose list it is in, or its owner; null when unknown'),
  image_url: urlSchema.nullable().describe("The platform's own link; it expires. Null when unknown"),
  video_url: urlSchema.nullable().describe('The first video; null when unknown or without one'),
  url: urlSchema,
  shortcode: wordSchema,
  content_type: wordSchema.nullable().describe('In lower case: image, video, carousel; null when unknown'),
  photos_number: countSchema.nullable().describe('Null when unknown'),
  videos_duration: countSchema.nullable().describe('Whole seconds of all videos; null when unknown or without one'),
  location: z.object({ name: wordSchema }).nullable().describe('Null when unknown or without one'),
  post_id: wordSchema.nullable().describe('Null when unknown'),
  photos: z.array(urlSchema).describe('Empty when unknown'),
  videos: z.array(urlSchema).describe('Empty when unknown'),
  images: z.array(imageSchema).describe('Empty when unknown'),
  audio: z.array(soundSchema).describe('Empty when unknown or without sound'),
};
export const postItemSchema = z.object(postItemFields).meta({ id: 'ImgnetPostItem' });
export type PostItem = Sparse<z.infer<typeof postItemSchema>>;

export const reelItemFields = {
  type: z.literal('reel'),
  post_id: wordSchema.nullable().describe('Null when unknown'),
  description: z.string().nullable().describe('The caption; null when unknown or without one'),
  likes: countSchema.nullable().describe('Null when unknown or hidden'),
  views: countSchema.nullable().describe("An older count of the platform's; null when unknown"),
  video_view_count: countSchema.nullable().describe('Null when unknown'),
  video_play_count: countSchema.nullable().describe('Null when unknown'),
  num_comments: countSchema.nullable().describe('Null when unknown'),
  date_posted: timeSchema.nullable().describe('ISO 8601 UTC; null when unknown'),
  user_posted: wordSchema.nullable().describe('Who published it; may be a co-author. Null when unknown'),
  account: wordSchema.nullable().describe('Whose list it is in, or its owner; null when unknown'),
  video_url: urlSchema.nullable().describe("The platform's own link; it expires. Null when unknown"),
  thumbnail: urlSchema.nullable().describe('Null when unknown'),
  url: urlSchema,
  shortcode: wordSchema,
  content_type: z.literal('reel'),
  content_id: wordSchema.nullable().describe('Null when unknown'),
  product_type: wordSchema.nullable().describe('Such as clips; null when unknown'),
  length: secondsSchema.nullable().describe('Whole seconds; null when unknown'),
  videos_duration: secondsSchema.nullable().describe('The same time as length'),
  is_verified: z.boolean().nullable().describe('Whether the owner is; null when unknown'),
  videos: z.array(urlSchema).describe('Empty when unknown'),
};
export const reelItemSchema = z.object(reelItemFields).meta({ id: 'ImgnetReelItem' });
export type ReelItem = Sparse<z.infer<typeof reelItemSchema>>;

/** Items of lists are stored as they are in answers. */
export const wholeItems = { posts: withNullDefaults(postItemSchema), reels: withNullDefaults(reelItemSchema) };
export type WholeItem = { readonly [Name in keyof typeof wholeItems]: ReturnType<(typeof wholeItems)[Name]> };

const sampleFields = {
  ...{ user_posted: SAMPLE.account, account: SAMPLE.account, num_comments: 1, date_posted: '2026-03-14T18:00:00.000Z' },
  shortcode: SAMPLE.shortcode,
};
export const samplePost = {
  ...{
    ...sampleFields,
    type: 'post' as const,
    url: `${SAMPLE.site}/p/${SAMPLE.shortcode}/`,
    content_type: 'image',
    likes: 214,
  },
  ...{ post_id: '3500000001', instagram_id: '3500000001', description: 'The bridge at dusk' },
  ...{ caption: 'The bridge at dusk', photos_number: 1, photos: [SAMPLE.image], image_url: SAMPLE.image },
};
export const sampleReel = {
  ...{ ...sampleFields, type: 'reel' as const, url: `${SAMPLE.site}/reel/${SAMPLE.shortcode}/` },
  content_type: 'reel' as const,
  ...{ post_id: '3500000003', description: 'Across the bridge', likes: 902, video_view_count: 15_020, length: 31 },
};
export const samplePostFailure = ['removed', 'The post is gone.'] as const;
