import { z } from 'zod';
import { linkSchema, numberSchema } from '../fact-schemas.ts';

const thumbnailSchema = z.object({
  url: linkSchema,
  width: numberSchema,
  height: numberSchema,
  /** yt-dlp's order. Banners of a channel are below 0. */
  preference: numberSchema,
});

export const thumbnailsSchema = z.array(thumbnailSchema).catch([]);
type Thumbnail = z.infer<typeof thumbnailSchema>;

/** @returns the preferred or else the largest pictures, the best first */
export function bestThumbnails(thumbnails: readonly Thumbnail[], max: number) {
  const [whole, seen] = [(size?: number) => size && Math.round(size), new Set<string>()];
  return ranked(thumbnails)
    .toReversed()
    .flatMap(({ url, width, height }) => {
      if (url === undefined || seen.has(url)) return [];
      seen.add(url);
      return [{ url, width: whole(width), height: whole(height) }];
    })
    .slice(0, max);
}

/** @returns the URL of the preferred picture, or else the largest, or else the last */
export function largestThumbnail(thumbnails: readonly Thumbnail[]): string | undefined {
  return ranked(thumbnails).at(-1)?.url;
}

function ranked(thumbnails: readonly Thumbnail[]): readonly Thumbnail[] {
  return thumbnails
    .filter(({ url, preference = 0 }) => url !== undefined && preference >= 0)
    .toSorted((a, b) => (a.preference ?? 0) - (b.preference ?? 0) || area(a) - area(b));
}

function area({ width = 0, height = 0 }: Thumbnail): number {
  return width * height;
}
