import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { COMMENT_MAX_CHARS } from '../../../contract/limits.ts';
import type { VideoComment } from '../../../contract/kinds/transcript.ts';
import { parseJson } from '../../../runtime/parse-json.ts';
import { bounded, countSchema, formatTimestamp, textSchema } from '../fact-schemas.ts';

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
export interface CommentsFile {
  readonly path: string;
  /** Most comments in all. */
  readonly max: number;
}

/** First what the file holds, then the comments: parents before what answers them. */
export type CommentsRead =
  { readonly isReadable: boolean; readonly showsNothing: boolean } | { readonly page: readonly VideoComment[] };

/** The comments of a file that yt-dlp wrote, page by page. */
export function* readComments({ path, max }: CommentsFile): Generator<CommentsRead> {
  const { data: facts } = factsSchema.safeParse(parseJson(readFileSync(path, 'utf8')));
  const found = (facts?.comments ?? []).flatMap(toComment);
  yield { isReadable: facts !== undefined, showsNothing: found.length === 0 && facts?.formats.length === 0 };
  const comments = parentsFirst(found).slice(0, max);
  for (let start = 0; start < comments.length; start += PAGE_SIZE) {
    yield { page: comments.slice(start, start + PAGE_SIZE) };
  }
}

/** A comment without an ID is left out, because it could not be referenced. */
function toComment(value: unknown): readonly VideoComment[] {
  const { success, data: comment } = commentSchema.safeParse(value);
  if (!success) return [];
  const publishedAt = formatTimestamp(comment.timestamp);
  // The platform says "2 weeks ago", and yt-dlp counts back from now.
  const isEstimated = publishedAt !== undefined && comment._time_text !== undefined;
  return [
    {
      id: comment.id,
      author: comment.author,
      authorId: comment.author_id,
      text: bounded(comment.text, COMMENT_MAX_CHARS),
      likes: comment.like_count,
      publishedAt: publishedAt,
      publishedAtIsEstimated: isEstimated ? true : undefined,
      replyTo: comment.parent === 'root' ? null : comment.parent,
    },
  ];
}

/** Some platforms list an answer before what it answers. One whose comment is not there stands at the end. */
function parentsFirst(comments: readonly VideoComment[]): readonly VideoComment[] {
  const sorted = new Map<string, VideoComment>();
  const waiting = new Map<string, VideoComment[]>();
  const append = (first: VideoComment): void => {
    // A loop and no recursion: a chain of answers may be as long as the list.
    const stack = [first];
    for (let comment = stack.pop(); comment !== undefined; comment = stack.pop()) {
      if (sorted.has(comment.id)) continue;
      sorted.set(comment.id, comment);
      // One by one: a comment may have more answers than a call takes arguments.
      for (const answer of (waiting.get(comment.id) ?? []).toReversed()) stack.push(answer);
    }
  };
  for (const comment of comments) {
    const { replyTo } = comment;
    if (replyTo === null || sorted.has(replyTo)) {
      append(comment);
      continue;
    }
    const answers = waiting.get(replyTo);
    if (answers === undefined) waiting.set(replyTo, [comment]);
    else answers.push(comment);
  }
  comments.forEach(append);
  return [...sorted.values()];
}
