import { parseMoney, type Thousandths } from './money.ts';

export interface Prices {
  /** The audio of a video. */
  readonly audio: Thousandths;
  /** The MP4 of a video. */
  readonly video: Thousandths;
  /** A channel's profile with its list. */
  readonly channel: Thousandths;
  /** A transcript without comments. */
  readonly transcript: Thousandths;
  /** What comments add to a transcript. */
  readonly comments: Thousandths;
  /** A profile of the photo platform. */
  readonly profile: Thousandths;
  /** The content of a post or reel. */
  readonly post: Thousandths;
  /** A list of posts and reels, for each post that the profile counts; see {@link listPrice}. */
  readonly listItem: Thousandths;
  /** The audio of a post or reel. */
  readonly imgnetAudio: Thousandths;
  /** Speaker labels, per started minute of audio. */
  readonly speakerLabelsPerMinute: Thousandths;
}

/** The price table; configuration may override single prices by decimal strings with three decimals. */
export function priceTable(overrides: {
  readonly [Name in keyof Prices]?: string | undefined;
}): Prices {
  return Object.freeze({
    audio: parseMoney(overrides.audio ?? '0.005'),
    video: parseMoney(overrides.video ?? '0.010'),
    channel: parseMoney(overrides.channel ?? '0.010'),
    transcript: parseMoney(overrides.transcript ?? '0.003'),
    comments: parseMoney(overrides.comments ?? '0.002'),
    profile: parseMoney(overrides.profile ?? '0.010'),
    post: parseMoney(overrides.post ?? '0.005'),
    listItem: parseMoney(overrides.listItem ?? '0.001'),
    imgnetAudio: parseMoney(overrides.imgnetAudio ?? '0.005'),
    speakerLabelsPerMinute: parseMoney(overrides.speakerLabelsPerMinute ?? '0.006'),
  });
}

/**
 * The price of labelling the speakers of that much audio: each started minute counts, of the duration in whole seconds
 * that callers see. (An hour of AAC ends in a partly filled frame: it is 3600.003 s long, and not 61 minutes.)
 */
export function speakerLabelsPrice(prices: Prices, durationSeconds: number): Thousandths {
  return prices.speakerLabelsPerMinute * Math.ceil(Math.round(durationSeconds) / 60);
}

/** A list that has next to nothing is priced as one of that many posts: it was asked for all the same. */
const LIST_LEAST_ITEMS = 10;

/** The price of both parts of a list, by how many posts the profile counts; where it does not tell, the least. */
export function listPrice(prices: Pick<Prices, 'listItem'>, postsCount: number | undefined): Thousandths {
  return prices.listItem * Math.max(LIST_LEAST_ITEMS, postsCount ?? 0);
}

/** The two parts of a list's price; the posts have the odd thousandth. */
export function splitListPrice(price: Thousandths): { readonly posts: Thousandths; readonly reels: Thousandths } {
  const reels = Math.floor(price / 2);
  return { posts: price - reels, reels };
}
