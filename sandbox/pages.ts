import type { Catalogue, CatalogueChannel, CatalogueVideo, MediaFormat } from './catalogue.ts';
import { PLAYABILITY, UNKNOWN_VIDEO } from './playability.ts';

const CHANNEL_PAGE_VIDEOS = 30;

/** The list of contents for people and tests; later platforms fill the last two. */
export function indexPage(catalogue: Catalogue, baseUrl: string): object {
  return {
    videos: catalogue.videos.map((video) => ({
      id: video.id,
      title: video.title,
      case: video.case,
      ...(video.durationSeconds === undefined ? {} : { duration: video.durationSeconds }),
    })),
    channels: catalogue.channels.map((channel) => ({ url: `${baseUrl}/${channel.handle}`, case: channel.case })),
    accounts: [],
    posts: [],
  };
}

/** What the extractor plugin reads of a video. */
export function videoPage(video: CatalogueVideo, baseUrl: string): object {
  const playability = PLAYABILITY[video.case];
  const playable = playability.status === 'OK';
  return {
    id: video.id,
    title: video.title,
    description: video.description,
    channel: channelFacts(video.channel, baseUrl),
    publishedAtSeconds: Math.floor(video.publishedAt.getTime() / 1000),
    viewCount: video.viewCount,
    likeCount: video.likeCount,
    tags: video.tags,
    durationSeconds: video.durationSeconds,
    liveStatus: video.case === 'live' ? 'is_live' : video.case === 'upcoming' ? 'is_upcoming' : 'not_live',
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
  catalogue: Catalogue,
  channel: CatalogueChannel,
  options: { baseUrl: string; page: number },
): object {
  const all = catalogue.videos
    // The platform does not list what only invited people may see, nor what is gone.
    .filter((video) => video.channel === channel && !['private', 'removed'].includes(video.case))
    .sort((a, b) => b.publishedAt.getTime() - a.publishedAt.getTime());
  const start = (options.page - 1) * CHANNEL_PAGE_VIDEOS;
  return {
    channel: { ...channelFacts(channel, options.baseUrl), description: channel.description, videoCount: all.length },
    videos: all.slice(start, start + CHANNEL_PAGE_VIDEOS).map((video) => ({
      id: video.id,
      url: `${options.baseUrl}/watch?v=${video.id}`,
      title: video.title,
      durationSeconds: video.durationSeconds,
      viewCount: video.viewCount,
    })),
    nextPage: start + CHANNEL_PAGE_VIDEOS < all.length ? options.page + 1 : null,
  };
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
