import { z } from 'zod';
import { countSchema, timeSchema, urlSchema, wordSchema } from './fields.ts';
import {
  imageSchema,
  imagesOf,
  photosOf,
  slideSchema,
  slidesOf,
  soundSchema,
  soundsOf,
  videoSecondsOf,
  videosOf,
} from './media.ts';
import { publicationOf, type ItemContext } from './publication.ts';
import {
  coauthorsOf,
  partnershipSchema,
  partnershipsOf,
  postCommentSchema,
  postCommentsOf,
  taggedUserSchema,
  taggedUsersOf,
} from './people.ts';
import { booleanOf, countOf, first, known, listOf, textOf, urlOf, wordOf, type ImgnetRecord } from './tolerant.ts';

const postItemFields = {
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

/** The platform's fields of a post (specification, section 2.4). */
export const postContentSchema = z
  .object({
    ...postItemFields,
    hashtags: z.array(z.string()).optional().describe('With their #; absent when unknown or without any'),
    pk: wordSchema.optional().describe('Absent when unknown'),
    content_id: wordSchema.optional().describe('Absent when unknown'),
    thumbnail: urlSchema.optional().describe('Absent when unknown'),
    is_verified: z.boolean().optional().describe('Whether the owner is; absent when unknown'),
    is_paid_partnership: z.boolean().optional().describe('Absent when unknown'),
    user_posted_id: wordSchema.optional().describe('Absent when unknown'),
    profile_url: urlSchema.optional().describe('Absent when unknown'),
    alt_text: z.string().optional().describe('Absent when unknown or without one'),
    followers: countSchema.optional().describe("The owner's; absent when unknown"),
    posts_count: countSchema.optional().describe("The owner's; absent when unknown"),
    profile_image_link: urlSchema.optional().describe('Absent when unknown'),
    video_view_count: countSchema.optional().describe('Absent when unknown or without a video'),
    video_play_count: countSchema.optional().describe('Absent when unknown or without a video'),
    product_type: wordSchema.optional().describe('Such as feed; absent when unknown'),
    is_pinned: z.boolean().optional().describe('Absent when unknown'),
    latest_comments: z.array(postCommentSchema).optional().describe('Absent when unknown'),
    tagged_users: z.array(taggedUserSchema).optional().describe('Absent when unknown or without any'),
    coauthor_producers: z.array(wordSchema).optional().describe('User names; absent when unknown or without any'),
    partnership_details: z.array(partnershipSchema).optional().describe('Absent when unknown or without any'),
    post_content: z.array(slideSchema).optional().describe('The slides in order; absent when unknown'),
  })
  .meta({ id: 'ImgnetPostContent' });
export type PostContent = z.infer<typeof postContentSchema>;

/**
 * @param record of the dataset of posts
 * @returns undefined for a record that names no post
 */
export function postItemOf(record: ImgnetRecord, context: ItemContext): PostItem | undefined {
  const publication = publicationOf(record, 'post', context);
  if (publication === undefined) return undefined;
  const caption = first([record['description'], record['caption']], textOf);
  const comments = first([record['num_comments'], record['comments']], countOf);
  const photos = photosOf(record);
  const videos = videosOf(record);
  return known<PostItem>({
    type: 'post',
    ...publication,
    instagram_id: first([record['id'], record['pk'], pkIn(record['post_id'])], wordOf),
    caption,
    description: caption ?? null,
    likes: countOf(record['likes']),
    comments,
    num_comments: comments,
    datetime: publication.date_posted,
    image_url: first([record['image_url'], record['display_url'], record['thumbnail'], photos?.[0]], urlOf),
    video_url: first([record['video_url'], videos?.[0]], urlOf) ?? null,
    content_type: wordOf(record['content_type'])?.toLowerCase(),
    photos_number: countOf(record['photos_number']) ?? photos?.length,
    videos_duration: videoSecondsOf(record) ?? null,
    location: locationOf(record),
    post_id: first([record['post_id'], record['pk']], wordOf),
    photos,
    videos,
    images: imagesOf(record),
    audio: soundsOf(record),
  });
}

/**
 * @param record of the dataset of posts
 * @returns undefined for a record that names no post
 */
export function postContentOf(record: ImgnetRecord, context: ItemContext): PostContent | undefined {
  const item = postItemOf(record, context);
  if (item === undefined) return undefined;
  return known<PostContent>({
    ...item,
    hashtags: listOf(record['hashtags'], wordOf),
    pk: first([record['pk'], pkIn(record['post_id'])], wordOf),
    content_id: wordOf(record['content_id']),
    thumbnail: urlOf(record['thumbnail']),
    is_verified: booleanOf(record['is_verified']),
    is_paid_partnership: booleanOf(record['is_paid_partnership']),
    user_posted_id: wordOf(record['user_posted_id']),
    profile_url: urlOf(record['profile_url']),
    alt_text: textOf(record['alt_text']),
    followers: countOf(record['followers']),
    posts_count: countOf(record['posts_count']),
    profile_image_link: urlOf(record['profile_image_link']),
    video_view_count: countOf(record['video_view_count']),
    video_play_count: countOf(record['video_play_count']),
    product_type: wordOf(record['product_type']),
    is_pinned: booleanOf(record['is_pinned']),
    latest_comments: postCommentsOf(record),
    tagged_users: taggedUsersOf(record),
    coauthor_producers: coauthorsOf(record),
    partnership_details: partnershipsOf(record),
    post_content: slidesOf(record),
  });
}

/** Some records write `PK_USERID`. */
function pkIn(postId: unknown): string | undefined {
  return /^(\d+)(?:_\d+)?$/.exec(wordOf(postId) ?? '')?.[1];
}

function locationOf(record: ImgnetRecord): { name: string } | undefined {
  const name = first([record['location'], record['location_details']].map(placeName), wordOf);
  return name === undefined ? undefined : { name };
}

/** A name, an array of names, or an object with one. */
function placeName(value: unknown): unknown {
  const place: unknown = Array.isArray(value) ? value[0] : value;
  return typeof place === 'object' && place !== null && 'name' in place ? place.name : place;
}
