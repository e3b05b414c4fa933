/** What the sandbox served for one video, or in all. */
export interface Counters {
  page_reads: number;
  media_requests: number;
  media_bytes: number;
  /** Media bodies whose last byte was sent; a resumed transfer counts once, by the request that ended it. */
  complete_media_bodies: number;
  caption_requests: number;
}
export type Counter = keyof Counters;

export interface Stats {
  /** @param videoId an id of the catalogue; of any other only the totals are kept */
  add(videoId: string, counter: Counter, amount?: number): void;
  snapshot(): { readonly videos: Readonly<Record<string, Counters>>; readonly totals: Counters };
  reset(): void;
}

export function createStats(videoIds: readonly string[]): Stats {
  const zero = (): Counters => ({
    page_reads: 0,
    media_requests: 0,
    media_bytes: 0,
    complete_media_bodies: 0,
    caption_requests: 0,
  });
  let totals = zero();
  let videos = new Map<string, Counters>();
  const reset = (): void => {
    totals = zero();
    videos = new Map(videoIds.map((id) => [id, zero()]));
  };
  reset();
  return {
    add(videoId, counter, amount = 1) {
      totals[counter] += amount;
      const own = videos.get(videoId);
      if (own !== undefined) own[counter] += amount;
    },
    snapshot: () => ({ videos: Object.fromEntries(videos), totals }),
    reset,
  };
}
