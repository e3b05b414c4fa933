import type { CatalogueChannel, CatalogueComment, CatalogueVideo, MediaFormat } from './catalogue.ts';
import { flatten, sortComments } from './comments.ts';
import type { Library } from './library.ts';
import { UNKNOWN_VIDEO, UNPLAYABLE } from './playability.ts';
import { avatars, banner, videoThumbnails } from './thumbnails.ts';
import { TRANSLATION_LANGUAGES } from './translation.ts';

const CHANNEL_PAGE_VIDEOS = 30;
/** As many as a page of the platform has. */
const PAGE_COMMENTS = 20;
const PAGE_REPLIES = 10;
/** What the platform shows in place of a channel that is gone. */
const GONE = { type: 'ERROR', text: 'This channel does not exist.' };

/** What the extractor plugin reads of a video. */
export function videoPage(video: CatalogueVideo, baseUrl: string): object {
  const refused = UNPLAYABLE[video.case];
  return {
    id: video.id,
    title: video.title,
    description: video.description,
    channel: channelFacts(video.channel, baseUrl),
    publishedAtSeconds: Math.floor(video.publishedAt.getTime() / 1000),
    viewCount: video.viewCount,
    likeCount: video.likeCount,
    commentCount: video.comments && flatten(video.comments).length,
    commentsUrl: video.comments && `${baseUrl}/comments/${video.id}`,
    tags: video.tags,
    durationSeconds: video.durationSeconds,
    liveStatus: liveStatus(video),
    thumbnails: videoThumbnails(video, baseUrl),
    playability: refused ?? {},
    formats: refused === undefined ? video.formats.map((format) => formatFacts(video, format, baseUrl)) : [],
    captions:
      refused === undefined
        ? video.captions.map(({ language, name, kind, files }) => ({
            language,
            name,
            kind,
            files: files.map((file) => ({ ext: file.ext, url: `${baseUrl}/captions/${video.id}/${file.name}` })),
          }))
        : [],
    translationLanguages: TRANSLATION_LANGUAGES,
    liveChat: video.liveChat,
  };
}

export function unknownVideoPage(id: string): object {
  return { id, playability: UNKNOWN_VIDEO, formats: [], captions: [] };
}

/**
 * Newest first, as the platform lists them.
 *
 * @param page counted from 1
 */
export function channelPage(
  library: Library,
  channel: CatalogueChannel,
  options: { baseUrl: string; page: number },
): object {
  if (channel.case === 'removed') return { alerts: [GONE] };
  const all = library.uploads(channel);
  const start = (options.page - 1) * CHANNEL_PAGE_VIDEOS;
  return {
    channel: {
      ...channelFacts(channel, options.baseUrl),
      description: channel.description,
      videoCount: all.length,
      avatars: avatars(channel, options.baseUrl),
      banner: banner(channel, options.baseUrl),
    },
    // The platform leaves a tab out that would be empty.
    tabs: all.length === 0 ? [] : ['videos'],
    videos: all.slice(start, start + CHANNEL_PAGE_VIDEOS).map((video) => ({
      id: video.id,
      url: `${options.baseUrl}/watch?v=${video.id}`,
      title: video.title,
      durationSeconds: video.durationSeconds === undefined ? undefined : Math.round(video.durationSeconds),
      publishedText: timeText(video.publishedAt),
      viewCount: video.viewCount,
      liveStatus: liveStatus(video),
      thumbnails: videoThumbnails(video, options.baseUrl),
    })),
    nextPage: start + CHANNEL_PAGE_VIDEOS < all.length ? options.page + 1 : null,
  };
}

function liveStatus({ case: kind }: CatalogueVideo): string {
  return kind === 'live' ? 'is_live' : kind === 'upcoming' ? 'is_upcoming' : 'not_live';
}

function channelFacts(channel: CatalogueChannel, baseUrl: string): object {
  return {
    id: channel.id,
    handle: channel.handle,
    title: channel.title,
    url: `${baseUrl}/channel/${channel.id}`,
    handleUrl: `${baseUrl}/${channel.handle}`,
    followerCount: channel.followerCount,
  };
}

function formatFacts(video: CatalogueVideo, { formatId, facts }: MediaFormat, baseUrl: string): object {
  return {
    formatId,
    url: `${baseUrl}/media/${video.id}/${encodeURIComponent(formatId)}`,
    ext: facts.ext,
    acodec: facts.acodec,
    vcodec: facts.vcodec,
    sizeBytes: video.case === 'live' ? undefined : facts.sizeBytes,
    totalKbps: facts.totalKbps,
    width: facts.width,
    height: facts.height,
    picturesPerSecond: facts.picturesPerSecond,
    sampleRateHz: facts.sampleRateHz,
    audioChannels: facts.audioChannels,
  };
}

export interface CommentPageRequest {
  readonly baseUrl: string;
  /** Counted from 1. */
  readonly page: number;
  readonly sort: 'new' | 'top';
  /** Id of the comment whose answers are asked for; undefined: comments on the video. */
  readonly parent?: string | undefined;
}

/**
 * What the extractor plugin reads when comments are asked for: a page of comments, or of the answers to one.
 *
 * @returns undefined when comments are turned off, or there is no such parent
 */
export function commentPage(video: CatalogueVideo, request: CommentPageRequest): object | undefined {
  const { page, sort, parent } = request;
  if (video.comments === undefined) return undefined;
  const above = parent === undefined ? undefined : flatten(video.comments).find((one) => one.id === parent);
  if (parent !== undefined && above === undefined) return undefined;
  const all = above === undefined ? sortComments(video.comments, sort) : above.replies;
  const size = above === undefined ? PAGE_COMMENTS : PAGE_REPLIES;
  const start = (page - 1) * size;
  return {
    comments: all.slice(start, start + size).map((one) => commentFacts(one, video, request.baseUrl)),
    nextPage: start + size < all.length ? page + 1 : null,
  };
}

function commentFacts(comment: CatalogueComment, video: CatalogueVideo, baseUrl: string): object {
  return {
    id: comment.id,
    text: comment.text,
    author: comment.author,
    authorId: comment.authorChannelId,
    authorUrl: `${baseUrl}/${comment.author}`,
    authorIsUploader: comment.author === video.channel.handle,
    likeCount: comment.likeCount,
    isFavorited: comment.favorited,
    isPinned: comment.pinned,
    publishedText: timeText(comment.publishedAt),
    replyCount: comment.replies.length,
  };
}

const UNITS = [
  ['year', 365 * 86_400],
  ['month', 30 * 86_400],
  ['week', 7 * 86_400],
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
  ['second', 1],
] as const;

/** "3 weeks ago": all that a page of the platform tells of a time. */
function timeText(then: Date): string {
  const seconds = Math.max(1, Math.floor((Date.now() - then.getTime()) / 1000));
  for (const [unit, length] of UNITS) {
    const amount = Math.floor(seconds / length);
    if (amount >= 1) return `${String(amount)} ${unit}${amount === 1 ? '' : 's'} ago`;
  }
  return 'now';
}
