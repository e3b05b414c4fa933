import { parseMoney, type Thousandths } from './money.ts';

export interface Prices {
  /** The audio of a video. */
  readonly audio: Thousandths;
  /** The MP4 of a video. */
  readonly video: Thousandths;
  /** Speaker labels, per started minute of audio. */
  readonly speakerLabelsPerMinute: Thousandths;
}

/** The price table; configuration may override single prices by decimal strings with three decimals. */
export function priceTable(overrides: {
  readonly audio?: string | undefined;
  readonly video?: string | undefined;
}): Prices {
  return Object.freeze({
    audio: parseMoney(overrides.audio ?? '0.005'),
    video: parseMoney(overrides.video ?? '0.010'),
    speakerLabelsPerMinute: parseMoney('0.006'),
  });
}

/**
 * The price of labelling the speakers of that much audio: each started minute counts, of the duration in whole seconds
 * that callers see. (An hour of AAC ends in a partly filled frame: it is 3600.003 s long, and not 61 minutes.)
 */
export function speakerLabelsPrice(prices: Prices, durationSeconds: number): Thousandths {
  return prices.speakerLabelsPerMinute * Math.ceil(Math.round(durationSeconds) / 60);
}
