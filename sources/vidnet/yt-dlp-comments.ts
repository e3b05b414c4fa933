import { z } from 'zod';
import { optional } from '../../contract/optional.ts';
import type { VideoComment } from '../../contract/vidnet.ts';
import type { CommentSource } from './comment-source.ts';
import { ytdlpRefusal } from './failures.ts';
import { countSchema, formatTimestamp, readFacts, textSchema } from './yt-dlp-facts.ts';
import { videoUrl, type YtdlpSettings } from './yt-dlp-settings.ts';

const PAGE_SIZE = 100;

const commentSchema = z.object({
  id: z.string().min(1).or(z.number().transform(String)),
  parent: z.string().or(z.number().transform(String)).catch('root'),
  text: z.string().catch(''),
  author: textSchema,
  author_id: textSchema,
  like_count: countSchema,
  timestamp: z.number().optional().catch(undefined),
  _time_text: textSchema,
});

const factsSchema = z.object({
  /** Null when comments are turned off. */
  comments: z.array(z.unknown()).nullish(),
  formats: z.array(z.unknown()).catch([]),
});
type Facts = z.infer<typeof factsSchema>;

const COMMENT_KEYS = 'id,parent,text,author,author_id,like_count,timestamp,_time_text';
const TEMPLATE = `video:{"comments":%(comments.:.{${COMMENT_KEYS}})j,"formats":%(formats.:.format_id)j}`;

/** Without the second one, yt-dlp writes all it knows to a file of its own. */
const COMMENTS_ONLY = ['--write-comments', '--no-write-info-json'];

/**
 * Comments in the order in which the platform's pages show them: threads newest first, unless the operator's extractor
 * arguments say otherwise, and the replies of each oldest first.
 */
export function createYtdlpComments(settings: YtdlpSettings): CommentSource {
  return {
    async *pages(videoId, max, call) {
      const { facts, warnings } = await readFacts<Facts>(settings, call, {
        subject: 'video',
        url: videoUrl(settings, videoId),
        args: ['--playlist-items', '1', '--no-playlist', '--ignore-no-formats-error', ...COMMENTS_ONLY],
        // Without the second argument, a page that the platform fails to send ends the list with a mere warning.
        extractorArgs: [{ extractor: 'youtube', args: { max_comments: [String(max)], raise_incomplete_data: [] } }],
        template: TEMPLATE,
        schema: factsSchema,
      });
      const found = (facts.comments ?? []).flatMap(toComment);
      const refusal = ytdlpRefusal(warnings, 'video');
      if (found.length === 0 && facts.formats.length === 0 && refusal !== undefined) throw refusal;
      const comments = parentsFirst(found).slice(0, max);
      for (let start = 0; start < comments.length; start += PAGE_SIZE) yield comments.slice(start, start + PAGE_SIZE);
    },
  };
}

/** One without an id is left out: nothing could name it. */
function toComment(told: unknown): readonly VideoComment[] {
  const { success, data: comment } = commentSchema.safeParse(told);
  if (!success) return [];
  const publishedAt = formatTimestamp(comment.timestamp);
  // The platform says "2 weeks ago", and yt-dlp counts back from now.
  const isEstimated = publishedAt !== undefined && comment._time_text !== undefined;
  return [
    {
      id: comment.id,
      ...optional('author', comment.author),
      ...optional('authorId', comment.author_id),
      text: comment.text,
      ...optional('likes', comment.like_count),
      ...optional('publishedAt', publishedAt),
      ...(isEstimated ? { publishedAtIsEstimated: true } : {}),
      replyTo: comment.parent === 'root' ? null : comment.parent,
    },
  ];
}

/** Some platforms list an answer before what it answers. One whose comment is not there stands at the end. */
function parentsFirst(comments: readonly VideoComment[]): readonly VideoComment[] {
  const sorted = new Map<string, VideoComment>();
  const waiting = new Map<string, VideoComment[]>();
  const place = (first: VideoComment): void => {
    // A loop and no recursion: a chain of answers may be as long as the list.
    const stack = [first];
    for (let comment = stack.pop(); comment !== undefined; comment = stack.pop()) {
      if (sorted.has(comment.id)) continue;
      sorted.set(comment.id, comment);
      stack.push(...(waiting.get(comment.id) ?? []).toReversed());
    }
  };
  for (const comment of comments) {
    const { replyTo } = comment;
    if (replyTo === null || sorted.has(replyTo)) place(comment);
    else waiting.set(replyTo, [...(waiting.get(replyTo) ?? []), comment]);
  }
  comments.forEach(place);
  return [...sorted.values()];
}
