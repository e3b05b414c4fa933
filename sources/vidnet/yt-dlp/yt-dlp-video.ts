import { z } from 'zod';
import type { VideoFacts } from '../../../contract/kinds/transcript-facts.ts';
import {
  bounded,
  countSchema,
  DESCRIPTION_MAX_CHARS,
  TITLE_MAX_CHARS,
  formatTimestamp,
  lineSchema,
  linkSchema,
  textSchema,
} from '../fact-schemas.ts';
import { videoUrl, type YtdlpSettings } from './yt-dlp-settings.ts';

export const VIDEO_KEYS =
  'id,title,description,webpage_url,extractor,timestamp,duration,view_count,like_count,comment_count,channel_id,channel,uploader,live_status,direct';

export const videoSchema = z.object({
  title: lineSchema,
  description: textSchema,
  webpage_url: linkSchema,
  extractor: textSchema,
  direct: z.boolean().optional().catch(undefined),
  timestamp: z.number().optional().catch(undefined),
  duration: z.number().nonnegative().optional().catch(undefined),
  view_count: countSchema,
  like_count: countSchema,
  comment_count: countSchema,
  channel_id: textSchema,
  channel: lineSchema,
  uploader: lineSchema,
  live_status: textSchema,
});

/** @param videoId the requested ID, because some extractors invent IDs */
export function toVideoFacts(settings: YtdlpSettings, videoId: string, facts: z.infer<typeof videoSchema>): VideoFacts {
  // For an unknown page, yt-dlp reports the Last-Modified header as the time of publication.
  const isGuess = facts.extractor === 'html5' || facts.direct === true;
  const { description } = facts;
  return {
    videoId,
    link: facts.webpage_url ?? videoUrl(settings, videoId),
    title: bounded(facts.title ?? videoId, TITLE_MAX_CHARS),
    description: description === undefined ? undefined : bounded(description, DESCRIPTION_MAX_CHARS),
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
