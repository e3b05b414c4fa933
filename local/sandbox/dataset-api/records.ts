import type { Account, Publication } from './publications.ts';
import { videoSeconds, type MediaHost } from './media.ts';

export type DatasetRecord = Record<string, unknown>;

export interface RecordParts {
  readonly media: MediaHost;
  readonly baseUrl: () => string;
  readonly collectedAtMs: number;
  readonly expiresAtMs: number;
}

const DAY_MS = 86_400_000;
const CAPTIONS = ['Morning in the garden.', 'Water for tea, not too hot.', 'The bridge after the rain.'];
const TEXTS = ['What a light!', 'Where is this?', 'So calm.', 'More of these, please.', 'Saved for the weekend.'];
const USERS = ['walker.sam', 'ines_m', 'two.cups', 'leaf_and_stone'];
const HASHTAGS = ['#garden', '#tea', '#slow', '#walk', '#rain'];

export function accountUrl(account: Account, baseUrl: string): string {
  return `${baseUrl}/${account.userName}/`;
}

export function publicationUrl({ kind, shortcode }: Publication, baseUrl: string): string {
  return `${baseUrl}/${kind === 'reel' ? 'reel' : 'p'}/${shortcode}/`;
}

export function postRecord(publication: Publication, parts: RecordParts): DatasetRecord {
  const { media, baseUrl, expiresAtMs } = parts;
  const { owner, slides, pk } = publication;
  const links = slides.map((slide, index) => ({
    slide,
    id: String(BigInt(pk) + BigInt(index)),
    url: media.link(publication, slide === 'video' ? `${index}.mp4` : `${index}.png`, expiresAtMs),
  }));
  const ofType = (wanted: string): string[] => links.filter(({ slide }) => slide === wanted).map(({ url }) => url);
  const [photos, videos] = [ofType('photo'), ofType('video')];
  const withVideo = videos.length > 0;
  return untidy(publication, {
    ...fieldsOfBoth(publication, parts),
    photos: photos.length === 0 ? null : photos,
    videos: withVideo ? videos : null,
    location: publication.index % 2 === 0 ? ['Riverside Garden'] : null,
    latest_comments: commentsOn(publication).map((comment) => ({
      comments: comment.text,
      user_commenting: comment.user,
      date_of_comment: comment.publishedAt,
      likes: comment.likes,
    })),
    post_id: pk,
    pk,
    content_type: contentType(publication),
    video_view_count: withVideo ? likesOf(publication) * 9 : null,
    video_play_count: withVideo ? likesOf(publication) * 12 : null,
    profile_url: accountUrl(owner, baseUrl()),
    user_posted_id: owner.id,
    partnership_details:
      publication.case === 'paid'
        ? { profile_id: '1000000042', username: 'two.cups', profile_url: `${baseUrl()}/two.cups/` }
        : null,
    is_pinned: publication.index === 0,
    post_content: links.map(({ slide, id, url }, index) => ({
      index,
      type: slide === 'video' ? 'Video' : 'Photo',
      url,
      id,
    })),
    images: links.filter(({ slide }) => slide === 'photo').map(({ id, url }) => ({ id, url })),
    audio: withVideo ? { audio_asset_id: `77${pk.slice(-8)}`, original_audio_title: 'Original audio' } : null,
    videos_duration: withVideo
      ? videos.map((url, nth) => ({ url, video_duration: videoSeconds(publication, nth) }))
      : null,
    alt_text: `A ${publication.case} post of the sandbox.`,
    photos_number: photos.length,
  });
}

export function reelRecord(publication: Publication, parts: RecordParts): DatasetRecord {
  const { media, baseUrl, expiresAtMs } = parts;
  const { owner, pk } = publication;
  const video = media.link(publication, '0.mp4', expiresAtMs);
  return untidy(publication, {
    ...fieldsOfBoth(publication, parts),
    views: likesOf(publication) * 2,
    video_view_count: likesOf(publication) * 9,
    video_play_count: likesOf(publication) * 12,
    top_comments: commentsOn(publication).map((comment) => ({
      user_commenting: comment.user,
      comment: comment.text,
      date_of_comment: comment.publishedAt,
      likes: String(comment.likes),
    })),
    post_id: `${pk}_${owner.id}`,
    length: publication.index % 2 === 0 ? String(videoSeconds(publication)) : videoSeconds(publication),
    video_url: video,
    videos: [video],
    user_profile_url: accountUrl(owner, baseUrl()),
  });
}

function fieldsOfBoth(publication: Publication, { media, baseUrl, expiresAtMs }: RecordParts): DatasetRecord {
  const { owner, shortcode, kind } = publication;
  return {
    url: publicationUrl(publication, baseUrl()),
    user_posted: owner.userName,
    description: captionOf(publication),
    hashtags: hashtagsOf(publication),
    num_comments: commentsOn(publication).length,
    date_posted: new Date(publication.publishedAtMs).toISOString(),
    likes: likesOf(publication),
    shortcode,
    content_id: shortcode,
    product_type: kind === 'reel' ? 'clips' : 'feed',
    coauthor_producers: publication.case === 'coauthored' ? ['two.cups'] : null,
    tagged_users:
      publication.index % 3 === 0
        ? [{ username: 'two.cups', full_name: 'Two Cups', is_verified: true, id: '1000000042' }]
        : null,
    thumbnail: media.link(publication, '0.png', expiresAtMs),
    posts_count: owner.posts + owner.reels,
    followers: owner.followers,
    profile_image_link: media.avatarLink(owner.userName, expiresAtMs),
    is_verified: owner.case === 'large',
    is_paid_partnership: publication.case === 'paid',
  };
}

function commentsOn({ seed, index: position, publishedAtMs }: Publication) {
  // The newest posts always have comments.
  const count = position < 6 ? 1 + (seed % 3) : seed % 4;
  return Array.from({ length: count }, (_, index) => ({
    text: TEXTS[(seed + index) % TEXTS.length] ?? '',
    user: USERS[(seed + index) % USERS.length] ?? '',
    likes: (seed >> index) & 15,
    publishedAt: new Date(publishedAtMs + (index + 1) * DAY_MS).toISOString(),
  }));
}

/** From the sixth on, some records lack fields, have nulls, or numbers as strings, as real ones do. */
function untidy({ index }: Publication, record: DatasetRecord): DatasetRecord {
  if (index < 6) return record;
  const nulls = Object.fromEntries(['description', 'likes', 'tagged_users', 'date_posted'].map((name) => [name, null]));
  if (index % 23 === 6) return { ...record, ...nulls };
  if (index % 11 === 7) {
    const poor: DatasetRecord = { ...record, ...nulls, latest_comments: null, top_comments: null };
    return Object.fromEntries(Object.entries(poor).filter(([, value]) => value !== null));
  }
  if (index % 7 === 1)
    return { ...record, likes: String(record['likes']), num_comments: String(record['num_comments']) };
  return record;
}

function captionOf(publication: Publication): string {
  const text = CAPTIONS[publication.seed % CAPTIONS.length] ?? '';
  return `${text} ${'Nothing here is real. '.repeat(publication.seed % 60)}${hashtagsOf(publication).join(' ')}`;
}

function hashtagsOf({ seed }: Publication): string[] {
  return HASHTAGS.slice(seed % 3, (seed % 3) + 2);
}

function likesOf({ seed }: Publication): number {
  return seed % 5_000;
}

function contentType({ kind, slides }: Publication): string {
  if (kind === 'reel') return 'Reel';
  return slides.length > 1 ? 'Carousel' : slides[0] === 'video' ? 'Video' : 'Image';
}

/** A record of the dataset of profiles. Only `business` has all fields; the others lack what real records lack. */
export function profileRecord(
  account: Account,
  latest: readonly Publication[],
  { media, baseUrl, expiresAtMs }: RecordParts,
): DatasetRecord {
  const url = accountUrl(account, baseUrl());
  const avatar = media.avatarLink(account.userName, expiresAtMs);
  const business = account.case === 'business';
  return {
    account: account.userName,
    fbid: account.fbid,
    id: account.id,
    followers: account.followers,
    // Real records have some numbers as strings.
    following: account.case === 'ordinary' ? '311' : 180,
    posts_count: account.posts + account.reels,
    is_business_account: business,
    is_professional_account: business || account.case === 'large',
    is_verified: account.case === 'large',
    is_private: account.case === 'private',
    is_joined_recently: account.case === 'empty',
    has_channel: false,
    avg_engagement: account.posts === 0 ? null : 0.0582,
    external_url: business ? ['https://example.com/teahouse', 'https://example.com/menu'] : null,
    biography: `${account.fullName}: ${account.case}. #garden #tea`,
    bio_hashtags: business || account.case === 'ordinary' ? ['#garden', '#tea'] : null,
    category_name: business ? 'Tea room' : null,
    posts: latest.map((publication) => ({ id: publication.pk, url: publicationUrl(publication, baseUrl()) })),
    profile_image_link: avatar,
    profile_url: url,
    profile_name: account.fullName,
    full_name: account.fullName,
    highlights_count: business ? 2 : 0,
    highlights: business ? [{ title: 'Menu' }, { title: 'Visitors' }] : [],
    url,
    ...(business ? { business_address: '1 Bridge Street, Riverside', email_address: 'tea@example.com' } : {}),
    related_accounts: business
      ? [{ id: '1000000042', user_name: 'two.cups', profile_name: 'Two Cups', is_private: false, is_verified: true }]
      : [],
  };
}
