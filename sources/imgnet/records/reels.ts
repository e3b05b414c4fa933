import type { ReelItem } from '../../../contract/imgnet-media.ts';
import type { ReelContent } from '../../../contract/kinds/imgnet-content.ts';
import { videoSecondsOf, videosOf } from './media.ts';
import { coauthorsOf, reelCommentsOf, taggedUsersOf } from './people.ts';
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
