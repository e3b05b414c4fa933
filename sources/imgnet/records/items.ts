import { reelItemFields, type PostItem, type ReelItem } from '../../../contract/kinds/imgnet-media.ts';
import {
  postContentFields,
  reelContentFields,
  type PostContent,
  type ReelContent,
} from '../../../contract/kinds/imgnet-content.ts';
import * as parts from './item-parts.ts';
import {
  accountOf,
  postReferenceOf,
  postUrlOf,
  profileReferenceOf,
  SHORTCODE,
  type PostReference,
} from '../../../contract/urls/imgnet-urls.ts';
import {
  countOf,
  first,
  known,
  namesakes,
  secondsOf,
  textOf,
  timeOf,
  urlOf,
  wordOf,
  type ImgnetRecord,
} from './record-readers.ts';

/** The platform to which the URLs of records lead. */
export interface ImgnetPlatform {
  /** Base URL of its pages, without a slash at the end. Default: the real one. */
  readonly platformUrl?: string;
  /** Hosts beside the real ones, with port. */
  readonly hosts?: readonly string[];
}

interface ItemContext extends ImgnetPlatform {
  /** The account whose list has the item. Default: the owner according to the record. */
  readonly account?: string;
}

/** The platform's internal name of reels. */
const REEL_PRODUCT = 'clips';

/** @param record of the dataset of posts @returns undefined for a record that names no post */
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

export function postContentOf(record: ImgnetRecord, context: ItemContext): PostContent | undefined {
  const item = postItemOf(record, context);
  if (item === undefined) return undefined;
  return known<PostContent>({
    ...item,
    ...namesakes(postContentFields, record),
    pk: first([record['pk'], pkIn(record['post_id'])], wordOf),
    latest_comments: parts.postCommentsOf(record),
    tagged_users: parts.taggedUsersOf(record),
    coauthor_producers: parts.coauthorsOf(record),
    partnership_details: parts.partnershipsOf(record),
    post_content: parts.slidesOf(record),
  });
}

/** @param record of the dataset of reels, or of a reel in that of posts @returns undefined for a record that names no reel */
export function reelItemOf(record: ImgnetRecord, context: ItemContext): ReelItem | undefined {
  const publication = publicationOf(record, 'reel', context);
  if (publication === undefined) return undefined;
  const videos = parts.videosOf(record);
  // A reel is one video.
  const seconds = secondsOf(record['length']) ?? parts.videoSecondsOf(record);
  return known<ReelItem>({
    ...namesakes(reelItemFields, record),
    type: 'reel',
    ...publication,
    video_url: first([record['video_url'], videos?.[0]], urlOf),
    content_type: 'reel',
    length: seconds,
    videos_duration: seconds,
    videos,
  });
}

export function reelContentOf(record: ImgnetRecord, context: ItemContext): ReelContent | undefined {
  const item = reelItemOf(record, context);
  if (item === undefined) return undefined;
  return known<ReelContent>({
    ...item,
    ...namesakes(reelContentFields, record),
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
  const name = first([record['location'], record['location_details']].map(locationName), wordOf);
  return name === undefined ? undefined : { name };
}

function locationName(value: unknown): unknown {
  const location: unknown = Array.isArray(value) ? value[0] : value;
  return typeof location === 'object' && location !== null && 'name' in location ? location.name : location;
}

function publicationOf(record: ImgnetRecord, kind: PostReference['kind'], context: ItemContext) {
  const shortcode = shortcodeOf(record, context.hosts);
  if (shortcode === undefined) return undefined;
  return {
    url: urlOf(record['url']) ?? postUrlOf({ shortcode, kind }, context.platformUrl),
    shortcode,
    // `timestamp` is the time when the record was collected.
    date_posted: first([record['date_posted'], record['datetime']], timeOf),
    user_posted: wordOf(record['user_posted']),
    account: context.account ?? ownerOf(record, context.hosts),
  };
}

/** The only key that every dataset has. Numeric IDs have three forms. */
export function shortcodeOf(record: ImgnetRecord, hosts: readonly string[] = []): string | undefined {
  const shortcode = wordOf(record['shortcode']);
  if (shortcode !== undefined) return SHORTCODE.test(shortcode) ? shortcode : undefined;
  return postReferenceOf(wordOf(record['url']) ?? '', hosts)?.shortcode;
}

/** The publishing account in lower case, which may be the co-author. */
export function ownerOf(record: ImgnetRecord, hosts: readonly string[] = []): string | undefined {
  const link = first([record['profile_url'], record['user_profile_url']], urlOf);
  return (
    accountOf(wordOf(record['user_posted']) ?? '') ?? (link === undefined ? link : profileReferenceOf(link, hosts))
  );
}

export function isReelRecord(record: ImgnetRecord, hosts: readonly string[] = []): boolean {
  if (wordOf(record['product_type']) === REEL_PRODUCT) return true;
  if (wordOf(record['content_type'])?.toLowerCase() === 'reel') return true;
  return postReferenceOf(wordOf(record['url']) ?? '', hosts)?.kind === 'reel';
}
