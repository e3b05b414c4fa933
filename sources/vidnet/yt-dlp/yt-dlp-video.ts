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
