import { z } from 'zod';
import type { VideoFacts } from '../../../contract/kinds/transcript-facts.ts';
import {
  amountSchema,
  bounded,
  flagSchema,
  numberSchema,
  countSchema,
  DESCRIPTION_MAX_CHARS,
  TITLE_MAX_CHARS,
  formatTimestamp,
  lineSchema,
  linkSchema,
  textSchema,
} from '../fact-schemas.ts';
import { videoUrl, type YtdlpSettings } from './yt-dlp-settings.ts';

export const videoSchema = z.object({
  title: lineSchema,
  description: textSchema,
  webpage_url: linkSchema,
  extractor: textSchema,
  direct: flagSchema,
  timestamp: numberSchema,
  duration: amountSchema,
  view_count: countSchema,
  like_count: countSchema,
  comment_count: countSchema,
  channel_id: textSchema,
  channel: lineSchema,
  uploader: lineSchema,
  live_status: textSchema,
});

/** The fields of yt-dlp that the schema reads. */
export const VIDEO_KEYS = Object.keys(videoSchema.shape).join(',');

/** @param videoId the requested ID, because some extractors invent IDs */
export function toVideoFacts(settings: YtdlpSettings, videoId: string, facts: z.infer<typeof videoSchema>): VideoFacts {
  // For an unknown page, yt-dlp reports the Last-Modified header as the time of publication.
  const isGuess = facts.extractor === 'html5' || facts.direct === true;
  const { description } = facts;
  return {
    videoId,
    link: facts.webpage_url ?? videoUrl(settings, videoId),
    title: bounded(facts.title ?? videoId, TITLE_MAX_CHARS),
    description: description && bounded(description, DESCRIPTION_MAX_CHARS),
    // `upload_date` has no time of day.
    publishedAt: isGuess ? undefined : formatTimestamp(facts.timestamp),
    durationSeconds: facts.duration,
    viewCount: facts.view_count,
    likeCount: facts.like_count,
    commentCount: facts.comment_count,
    channelId: facts.channel_id,
    channelName: facts.channel ?? facts.uploader,
  };
}

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
