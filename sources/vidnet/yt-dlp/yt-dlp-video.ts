import { z } from 'zod';
import type { VideoFacts } from '../../../contract/kinds/transcript.ts';
import {
  bounded,
  countSchema,
  DESCRIPTION_MAX_CHARS,
  TITLE_MAX_CHARS,
  formatTimestamp,
  linkSchema,
  textSchema,
} from '../fact-schemas.ts';
import { videoUrl, type YtdlpSettings } from './yt-dlp-settings.ts';

/** yt-dlp's keys of a video's facts, as its output template names them. */
export const VIDEO_KEYS =
  'id,title,description,webpage_url,extractor,timestamp,duration,view_count,like_count,comment_count,channel_id,channel,uploader,live_status,direct';

export const videoSchema = z.object({
  title: textSchema,
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
  channel: textSchema,
  uploader: textSchema,
  live_status: textSchema,
});

/** @param videoId as the caller names it: some extractors make up ids of their own */
export function toVideoFacts(settings: YtdlpSettings, videoId: string, facts: z.infer<typeof videoSchema>): VideoFacts {
  // Of a page that it does not know, yt-dlp takes the file's Last-Modified for the time of publication.
  const isGuess = facts.extractor === 'html5' || facts.direct === true;
  const { description } = facts;
  return {
    videoId,
    link: facts.webpage_url ?? videoUrl(settings, videoId),
    title: bounded(facts.title ?? videoId, TITLE_MAX_CHARS),
    description: description === undefined ? undefined : bounded(description, DESCRIPTION_MAX_CHARS),
    // A mere upload_date is a day: the time of day would be invented.
    publishedAt: isGuess ? undefined : formatTimestamp(facts.timestamp),
    durationSeconds: facts.duration,
    viewCount: facts.view_count,
    likeCount: facts.like_count,
    commentCount: facts.comment_count,
    channelId: facts.channel_id,
    channelName: facts.channel ?? facts.uploader,
  };
}
