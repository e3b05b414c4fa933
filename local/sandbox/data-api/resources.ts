import { createHash } from 'node:crypto';
import type { Thumbnail } from '../thumbnails.ts';

export function resource(kind: string, id: string): object {
  return { kind: `youtube#${kind}`, etag: createHash('sha256').update(`${kind}\0${id}`).digest('base64url'), id };
}

/** @param items undefined when nothing matches, as in the real API */
export function listResponse(
  kind: string,
  items: readonly object[] | undefined,
  { totalResults, ...tokens }: { readonly totalResults: number; readonly nextPageToken?: string | undefined },
): object {
  return { kind: `youtube#${kind}ListResponse`, ...tokens, pageInfo: { totalResults }, items };
}

export function thumbnailMap(thumbnails: readonly Thumbnail[]): object {
  return Object.fromEntries(thumbnails.map(({ id, url, width, height }) => [id, { url, width, height }]));
}

export function apiTime(date: Date): string {
  return date.toISOString().replace(/\.\d{3}Z$/, 'Z');
}

/** ISO 8601 in whole seconds, such as PT1H2M3S; P0D when unknown. */
export function apiDuration(seconds: number | undefined): string {
  if (seconds === undefined) return 'P0D';
  const whole = Math.round(seconds);
  const parts = [
    [Math.floor(whole / 3600), 'H'],
    [Math.floor((whole % 3600) / 60), 'M'],
    [whole % 60, 'S'],
  ] as const;
  const text = parts.map(([amount, unit]) => (amount === 0 ? '' : `${String(amount)}${unit}`)).join('');
  return `PT${text === '' ? '0S' : text}`;
}
