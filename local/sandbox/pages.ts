import type { CatalogueChannel, CatalogueVideo, MediaFormat } from './catalogue.ts';
import { flatten } from './comments.ts';
import type { Library } from './library.ts';
import { playabilityOf, UNKNOWN_VIDEO } from './playability.ts';
import { avatars, banner, videoThumbnails } from './thumbnails.ts';
import { timeText } from './time-text.ts';
import { TRANSLATION_LANGUAGES } from './translation.ts';

const CHANNEL_PAGE_VIDEOS = 30;
/** What the platform shows in place of a channel that is gone. */
const GONE = { type: 'ERROR', text: 'This channel does not exist.' };

/** What the extractor plugin reads of a video. */
export function videoPage(video: CatalogueVideo, baseUrl: string): object {
  const playability = playabilityOf(video.case);
  const playable = playability.status === 'OK';
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
    playability,
    formats: playable ? video.formats.map((format) => formatFacts(video, format, baseUrl)) : [],
    captions: playable
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
