import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { COMMENT_MAX_CHARS } from '../../../contract/request-limits.ts';
import type { VideoComment } from '../../../contract/kinds/transcript-facts.ts';
import { parseJson } from '../../../runtime/parse-json.ts';
import { bounded, countSchema, formatTimestamp, numberSchema, lineSchema, textSchema } from '../fact-schemas.ts';

const PAGE_SIZE = 100;

const commentSchema = z.object({
  id: z.string().min(1).or(z.number().transform(String)),
  parent: z.string().or(z.number().transform(String)).catch('root'),
  text: z.string().catch(''),
  author: lineSchema,
  author_id: textSchema,
  like_count: countSchema,
  timestamp: numberSchema,
  _time_text: textSchema,
});

const factsSchema = z.object({
  /** Null when comments are turned off. */
  comments: z.array(z.unknown()).nullish(),
  formats: z.array(z.unknown()).catch([]),
});

export interface CommentsFile {
  readonly path: string;
  readonly max: number;
}

/** The first item describes the file. Pages of comments follow, with parents before their replies. */
type CommentsRead =
  { readonly isReadable: boolean; readonly showsNothing: boolean } | { readonly page: readonly VideoComment[] };

export function* readComments({ path, max }: CommentsFile): Generator<CommentsRead> {
  const { data: facts } = factsSchema.safeParse(parseJson(readFileSync(path, 'utf8')));
  const found = (facts?.comments ?? []).flatMap(toComment);
  yield { isReadable: facts !== undefined, showsNothing: found.length === 0 && facts?.formats.length === 0 };
  const comments = parentsFirst(found).slice(0, max);
  for (let start = 0; start < comments.length; start += PAGE_SIZE)
    yield { page: comments.slice(start, start + PAGE_SIZE) };
}

/** A comment without an ID is left out, because it could not be referenced. */
function toComment(value: unknown): readonly VideoComment[] {
  const { success, data: comment } = commentSchema.safeParse(value);
  if (!success) return [];
  const publishedAt = formatTimestamp(comment.timestamp);
  // From a text such as "2 weeks ago", yt-dlp computes the time.
  const isEstimated = publishedAt !== undefined && comment._time_text !== undefined;
  return [
    {
      id: comment.id,
      author: comment.author,
      author_id: comment.author_id,
      text: bounded(comment.text, COMMENT_MAX_CHARS),
      likes: comment.like_count,
      published_at: publishedAt,
      published_at_is_estimated: isEstimated ? true : undefined,
      reply_to: comment.parent === 'root' ? undefined : comment.parent,
    },
  ];
}

/** Sorts replies behind their parents, which some platforms list later. Replies without a parent come last. */
function parentsFirst(comments: readonly VideoComment[]): readonly VideoComment[] {
  const sorted = new Map<string, VideoComment>();
  const waiting = new Map<string, VideoComment[]>();
  const append = (first: VideoComment): void => {
    // A recursion could be as deep as the list is long.
    const stack = [first];
    for (let comment = stack.pop(); comment !== undefined; comment = stack.pop()) {
      if (sorted.has(comment.id)) continue;
      sorted.set(comment.id, comment);
      for (const reply of (waiting.get(comment.id) ?? []).toReversed()) stack.push(reply);
    }
  };
  for (const comment of comments) {
    const { reply_to: replyTo } = comment;
    const replies = waiting.get(replyTo ?? '');
    if (replyTo === undefined || sorted.has(replyTo)) append(comment);
    else if (replies === undefined) waiting.set(replyTo, [comment]);
    else replies.push(comment);
  }
  comments.forEach(append);
  return [...sorted.values()];
}
