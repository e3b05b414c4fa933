/** Counters of the requests for one video, which README.md explains. */
const ZERO_COUNTERS = {
  page_reads: 0,
  media_requests: 0,
  media_bytes: 0,
  complete_media_bodies: 0,
  caption_requests: 0,
  comment_pages: 0,
};
type Counter = keyof typeof ZERO_COUNTERS;
type Counts = Record<string, number>;

export type Stats = ReturnType<typeof createStats>;
export type StatsSnapshot = ReturnType<Stats['snapshot']>;

/** @param listed videos that are shown even with zeros; others are shown once they are requested */
export function createStats(listed: readonly { readonly id: string }[], isVideo: (id: string) => boolean) {
  const none = () => ({
    videos: Object.fromEntries(listed.map(({ id }) => [id, { ...ZERO_COUNTERS }])),
    /** Requests for parts of a channel's list, by page from 1 and by position of the first item from 0. */
    channels: {} as Record<string, { pages: Counts; playlist_items: Counts }>,
    /** Requests for pages of a playlist. */
    playlists: {} as Counts,
    api: {} as Counts,
    totals: { ...ZERO_COUNTERS, channel_pages: 0, api_requests: 0 },
  });
  let counts = none();
  const ofChannel = (id: string) => (counts.channels[id] ??= { pages: {}, playlist_items: {} });
  return {
    add(videoId: string, counter: Counter, amount = 1): void {
      counts.totals[counter] += amount;
      if (isVideo(videoId)) (counts.videos[videoId] ??= { ...ZERO_COUNTERS })[counter] += amount;
    },
    addChannelPage(channelId: string, page: number): void {
      counts.totals.channel_pages += 1;
      count(ofChannel(channelId).pages, String(page));
    },
    addPlaylistPage: (id: string): void => count(counts.playlists, id),
    addPlaylistItems: (channelId: string, position: number): void =>
      count(ofChannel(channelId).playlist_items, String(position)),
    addApiRequest(method: string): void {
      counts.totals.api_requests += 1;
      count(counts.api, method);
    },
    snapshot: () => counts,
    reset(): void {
      counts = none();
    },
  };
}

export function count(counters: Counts, key: string): void {
  counters[key] = (counters[key] ?? 0) + 1;
}
