import type { PostItem, ReelItem } from '../../../contract/imgnet-media.ts';
import type { PostContent, ReelContent } from '../../../contract/kinds/imgnet-content.ts';
import * as parts from './item-parts.ts';
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
} from './record-readers.ts';

/**
 * @param record of the dataset of posts
 * @returns undefined for a record that names no post
 */
export function postItemOf(record: ImgnetRecord, context: ItemContext): PostItem | undefined {
  const publication = publicationOf(record, 'post', context);
  if (publication === undefined) return undefined;
  const caption = first([record['description'], record['caption']], textOf);
  const comments = first([record['num_comments'], record['comments']], countOf);
  const photos = parts.photosOf(record);
  const videos = parts.videosOf(record);
  return known<PostItem>({
    type: 'post',
    ...publication,
    instagram_id: first([record['id'], record['pk'], pkIn(record['post_id'])], wordOf),
    caption,
    description: caption,
    likes: countOf(record['likes']),
    comments,
    num_comments: comments,
    datetime: publication.date_posted,
    image_url: first([record['image_url'], record['display_url'], record['thumbnail'], photos?.[0]], urlOf),
    video_url: first([record['video_url'], videos?.[0]], urlOf),
    content_type: wordOf(record['content_type'])?.toLowerCase(),
    photos_number: countOf(record['photos_number']) ?? photos?.length,
    videos_duration: parts.videoSecondsOf(record),
    location: locationOf(record),
    post_id: first([record['post_id'], record['pk']], wordOf),
    photos,
    videos,
    images: parts.imagesOf(record),
    audio: parts.soundsOf(record),
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
    latest_comments: parts.postCommentsOf(record),
    tagged_users: parts.taggedUsersOf(record),
    coauthor_producers: parts.coauthorsOf(record),
    partnership_details: parts.partnershipsOf(record),
    post_content: parts.slidesOf(record),
  });
}

/**
 * @param record of the dataset of reels, or of a reel in that of posts
 * @returns undefined for a record that names no reel
 */
export function reelItemOf(record: ImgnetRecord, context: ItemContext): ReelItem | undefined {
  const publication = publicationOf(record, 'reel', context);
  if (publication === undefined) return undefined;
  const videos = parts.videosOf(record);
  // A reel is one video.
  const seconds = secondsOf(record['length']) ?? parts.videoSecondsOf(record);
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
    latest_comments: parts.reelCommentsOf(record),
    tagged_users: parts.taggedUsersOf(record),
    coauthor_producers: parts.coauthorsOf(record),
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
