/** What the sandbox served for one video. */
export interface VideoCounters {
  page_reads: number;
  media_requests: number;
  media_bytes: number;
  /** Media bodies whose last byte was sent; a resumed transfer counts once, by the request that ended it. */
  complete_media_bodies: number;
  caption_requests: number;
  /** Pages of comments or answers, asked for as yt-dlp does. */
  comment_pages: number;
}
export type Counter = keyof VideoCounters;

export interface Totals extends VideoCounters {
  channel_pages: number;
  /** Of the Data API. */
  api_requests: number;
}

/** How often each part of a channel's list was asked for. */
export interface ChannelCounters {
  /** By the number of the page, from 1. */
  pages: Record<string, number>;
  /** Data API: by the position of the page's first item, from 0. */
  playlist_items: Record<string, number>;
}

export interface StatsSnapshot {
  readonly videos: Readonly<Record<string, VideoCounters>>;
  /** By channel id; only those that were asked for. */
  readonly channels: Readonly<Record<string, ChannelCounters>>;
  /** Data API requests by method; only those that were used. */
  readonly api: Readonly<Record<string, number>>;
  readonly totals: Totals;
}

export interface Stats {
  /** @param videoId of an unknown one only the totals are kept */
  add(videoId: string, counter: Counter, amount?: number): void;
  addChannelPage(channelId: string, page: number): void;
  addPlaylistItems(channelId: string, position: number): void;
  addApiRequest(method: string): void;
  snapshot(): StatsSnapshot;
  reset(): void;
}

/**
 * @param listedIds videos that are shown even with zeros
 * @param isVideo further ones are shown once they are asked for
 */
export function createStats(listedIds: readonly string[], isVideo: (id: string) => boolean): Stats {
  let totals: Totals;
  let videos: Map<string, VideoCounters>;
  let channels: Map<string, ChannelCounters>;
  let api: Map<string, number>;
  const reset = (): void => {
    totals = { ...zero(), channel_pages: 0, api_requests: 0 };
    videos = new Map(listedIds.map((id) => [id, zero()]));
    channels = new Map();
    api = new Map();
  };
  reset();
  const ofChannel = (id: string): ChannelCounters => {
    const found = channels.get(id) ?? { pages: {}, playlist_items: {} };
    channels.set(id, found);
    return found;
  };
  return {
    add(videoId, counter, amount = 1) {
      totals[counter] += amount;
      const own = videos.get(videoId) ?? (isVideo(videoId) ? zero() : undefined);
      if (own === undefined) return;
      own[counter] += amount;
      videos.set(videoId, own);
    },
    addChannelPage(channelId, page) {
      totals.channel_pages += 1;
      count(ofChannel(channelId).pages, String(page));
    },
    addPlaylistItems: (channelId, position) => count(ofChannel(channelId).playlist_items, String(position)),
    addApiRequest(method) {
      totals.api_requests += 1;
      api.set(method, (api.get(method) ?? 0) + 1);
    },
    snapshot: () => ({
      videos: Object.fromEntries(videos),
      channels: Object.fromEntries(channels),
      api: Object.fromEntries(api),
      totals,
    }),
    reset,
  };
}

function zero(): VideoCounters {
  return {
    page_reads: 0,
    media_requests: 0,
    media_bytes: 0,
    complete_media_bodies: 0,
    caption_requests: 0,
    comment_pages: 0,
  };
}

function count(counters: Record<string, number>, key: string): void {
  counters[key] = (counters[key] ?? 0) + 1;
}
