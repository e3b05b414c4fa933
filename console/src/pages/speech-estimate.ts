import type { Offer } from '../../../contract/http/resolved-schemas.ts';
import { clockText } from '../format-values.ts';

/** @returns what an offer that is charged by the minute costs and about how long it takes; undefined if neither is known */
export function estimateOf({ per, price, base, seconds_per_minute: pace }: Offer, seconds: number | undefined) {
  if (per !== 'minute') return undefined;
  if (seconds === undefined) {
    return pace === undefined ? undefined : `The transcription of a minute takes about ${lengthText(pace)} here`;
  }
  const cost = (Number(base ?? 0) + Number(price) * Math.ceil(Math.round(seconds) / 60)).toFixed(3);
  const time = pace === undefined ? '' : `; the transcription takes about ${lengthText((seconds / 60) * pace)} here`;
  return `${cost} credits for ${clockText(seconds)}${time}`;
}

export function lengthText(seconds: number): string {
  if (seconds < 90) return `${String(Math.max(1, Math.round(seconds)))} s`;
  return seconds < 5_400 ? `${String(Math.round(seconds / 60))} minutes` : `${(seconds / 3_600).toFixed(1)} hours`;
}
