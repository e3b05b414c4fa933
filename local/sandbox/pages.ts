import {
  type CaptionTrack,
  type CatalogueChannel,
  type CatalogueComment,
  type CatalogueVideo,
  type MediaFormat,
  UNPLAYABLE,
} from './catalogue.ts';
import { flatten, sortComments } from './comments.ts';
import type { Library, ServedPlaylist } from './library.ts';
import { avatars, banner, videoThumbnails } from './thumbnails.ts';

const CHANNEL_PAGE_VIDEOS = 30;
const PLAYLIST_PAGE_VIDEOS = 100;
const PAGE_COMMENTS = 20;
const PAGE_REPLIES = 10;
const GONE = { type: 'ERROR', text: 'This channel does not exist.' };

/** The page of a video for the extractor plugin; `info` has yt-dlp's field names. */
export function videoPage(video: CatalogueVideo, baseUrl: string): object {
  const refused = UNPLAYABLE[video.case];
  return {
    info: {
      id: video.id,
      title: video.title,
      description: video.description,
      ...channelFacts(video.channel, baseUrl),
      timestamp: Math.floor(video.published_at.getTime() / 1000),
      duration: video.durationSeconds,
      view_count: video.view_count,
      like_count: video.like_count,
      comment_count: video.comments && flatten(video.comments).length,
      tags: video.tags,
      thumbnails: videoThumbnails(video, baseUrl),
      age_limit: 0,
      availability: 'public',
      live_status: liveStatus(video) ?? 'not_live',
      release_timestamp: video.case === 'upcoming' ? Math.floor(Date.now() / 1000) + 3 * 86_400 : undefined,
      media_type: video.case === 'live' ? 'livestream' : 'video',
      formats: refused === undefined ? video.formats.map((format) => formatFacts(video, format, baseUrl)) : [],
      ...captionLists(video, refused === undefined ? video.captions : [], baseUrl),
    },
    commentsUrl: video.comments && `${baseUrl}/comments/${video.id}`,
    playability: refused ?? {},
  };
}

export function unknownVideoPage(id: string): object {
  return { info: { id, title: null, formats: [] }, playability: { reason: 'Video unavailable' } };
}

export function channelPage(
  library: Library,
  channel: CatalogueChannel,
  options: { baseUrl: string; page: number },
): object {
  if (channel.case === 'removed') return { alerts: [GONE] };
  const all = library.uploads(channel);
  const { videos, nextPage } = pageOfVideos(all, CHANNEL_PAGE_VIDEOS, options);
  return {
    channel: {
      ...channelFacts(channel, options.baseUrl),
      id: channel.id,
      title: all.length === 0 ? channel.title : `${channel.title} - Videos`,
      description: channel.description,
      availability: 'public',
      tags: [],
      thumbnails: channelThumbnails(channel, options.baseUrl),
    },
    // The platform omits an empty tab.
    tabs: all.length === 0 ? [] : ['videos'],
    videos,
    nextPage,
  };
}

export function playlistPage(
  { id, title, channel, videos }: ServedPlaylist,
  options: { baseUrl: string; page: number },
): object {
  return {
    playlist: {
      ...channelFacts(channel, options.baseUrl),
      id,
      title,
      webpage_url: `${options.baseUrl}/playlist?list=${id}`,
      playlist_count: videos.length,
      thumbnails: videos[0] === undefined ? [] : videoThumbnails(videos[0], options.baseUrl),
    },
    ...pageOfVideos(videos, PLAYLIST_PAGE_VIDEOS, options),
  };
}

function pageOfVideos(
  all: readonly CatalogueVideo[],
  size: number,
  { baseUrl, page }: { baseUrl: string; page: number },
): { readonly videos: object[]; readonly nextPage: number | null } {
  const start = (page - 1) * size;
  const videos = all.slice(start, start + size).map((video) => ({
    id: video.id,
    url: `${baseUrl}/${video.isShort === true ? 'shorts/' : 'watch?v='}${video.id}`,
    title: video.title,
    duration: video.durationSeconds === undefined ? undefined : Math.round(video.durationSeconds),
    publishedText: timeText(video.published_at),
    view_count: video.view_count,
    live_status: liveStatus(video),
    thumbnails: videoThumbnails(video, baseUrl),
  }));
  return { videos, nextPage: start + size < all.length ? page + 1 : null };
}

function liveStatus({ case: kind }: CatalogueVideo): string | undefined {
  return kind === 'live' ? 'is_live' : kind === 'upcoming' ? 'is_upcoming' : undefined;
}

function channelFacts({ id, handle, title, follower_count }: CatalogueChannel, baseUrl: string): object {
  return {
    channel: title,
    channel_id: id,
    channel_url: `${baseUrl}/channel/${id}`,
    channel_follower_count: follower_count,
    uploader: title,
    uploader_id: handle,
    uploader_url: `${baseUrl}/${handle}`,
  };
}

function channelThumbnails(channel: CatalogueChannel, baseUrl: string): object[] {
  const [wide, faces] = [banner(channel, baseUrl), avatars(channel, baseUrl)];
  return [
    { ...wide, preference: -10 },
    { url: wide.url, id: 'banner_uncropped', preference: -5 },
    ...faces,
    { url: faces.at(-1)?.url, id: 'avatar_uncropped', preference: 1 },
  ];
}

function formatFacts(video: CatalogueVideo, { formatId, facts }: MediaFormat, baseUrl: string): object {
  const { durationSeconds, ...known } = facts;
  const { ext, acodec, vcodec, tbr } = facts;
  const isSeparate = acodec === 'none' || vcodec === 'none';
  return {
    format_id: formatId,
    url: `${baseUrl}/media/${video.id}/${encodeURIComponent(formatId)}`,
    ...known,
    container: isSeparate && ['m4a', 'mp4', 'webm'].includes(ext) ? `${ext}_dash` : undefined,
    filesize: video.case === 'live' ? undefined : facts.filesize,
    abr: vcodec === 'none' ? tbr : undefined,
    vbr: acodec === 'none' ? tbr : undefined,
  };
}

/** Automatic captions are listed twice, as `en` and `en-orig`, among machine translations. */
function captionLists({ id, live_chat }: CatalogueVideo, tracks: readonly CaptionTrack[], baseUrl: string): object {
  const files = (track: CaptionTrack, name: string, translateTo = track.language): object[] =>
    track.files.map((file) => {
      const url = `${baseUrl}/captions/${id}/${file.name}`;
      return { ext: file.ext, name, url: translateTo === track.language ? url : `${url}?tlang=${translateTo}` };
    });
  const subtitles = tracks
    .filter(({ kind }) => kind === 'manual')
    .map((track) => [track.language, files(track, track.name)] as const);
  const automatic = tracks.flatMap((track) => {
    const translations = Object.entries(TRANSLATION_LANGUAGES);
    if (track.kind === 'manual') {
      return translations.map(([language, name]) => [
        `${language}-${track.language}`,
        files(track, `${name} from ${track.name}`, language),
      ]);
    }
    return [
      ...translations.map(([language, name]) => [language, files(track, name, language)]),
      [`${track.language}-orig`, files(track, `${track.name} (Original)`)],
      [track.language, files(track, track.name)],
    ];
  });
  const chat = {
    url: `${baseUrl}/watch?v=${id}&bpctr=9999999999&has_verified=1`,
    video_id: id,
    ext: 'json',
    protocol: 'youtube_live_chat_replay',
  };
  return {
    subtitles: { ...Object.fromEntries(subtitles), ...(live_chat ? { live_chat: [chat] } : {}) },
    automatic_captions: Object.fromEntries(automatic) as object,
  };
}

/** A page of comments on a video, or of the replies to `parent`. @returns undefined when comments are disabled, or for an unknown parent */
export function commentPage(
  video: CatalogueVideo,
  request: { baseUrl: string; page: number; sort: 'new' | 'top'; parent: string | undefined },
): object | undefined {
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
    author_id: comment.authorChannelId,
    author_url: `${baseUrl}/${comment.author}`,
    author_is_uploader: comment.author === video.channel.handle,
    like_count: comment.like_count,
    is_favorited: comment.favorited,
    ...(comment.pinned ? { is_pinned: true } : {}),
    _time_text: timeText(comment.published_at),
    replyCount: comment.replies.length,
  };
}

const SECOND = ['second', 1] as const;
const UNITS = [
  ['year', 365 * 86_400],
  ['month', 30 * 86_400],
  ['week', 7 * 86_400],
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
] as const;

/** Such as "3 weeks ago", as a page of the platform shows times. */
function timeText(then: Date): string {
  const seconds = Math.max(1, Math.floor((Date.now() - then.getTime()) / 1000));
  const [unit, length] = UNITS.find(([, most]) => seconds >= most) ?? SECOND;
  const amount = Math.floor(seconds / length);
  return `${String(amount)} ${unit}${amount === 1 ? '' : 's'} ago`;
}

export const TRANSLATION_LANGUAGES = { en: 'English', de: 'German', fr: 'French' } as const;
