import { COMMENT_MAX_CHARS } from '../../../contract/request-limits.ts';
import type { VideoComment } from '../../../contract/kinds/transcript-facts.ts';
import type { CommentSource } from '../comment-source.ts';
import { commentListSchema, commentThreadListSchema, type DataApiComment } from './data-api-schemas.ts';
import { pagesFrom, type DataApi, type SendDataApiRequest } from './data-api-client.ts';
import { noneWhen } from './data-api-failures.ts';
import { bounded } from '../fact-schemas.ts';

/** The maximum of `commentThreads.list` and `comments.list`. */
const PAGE_SIZE = 100;
/** The API lists the newest reply first, but the oldest is returned first, so all replies of a thread are read before. */
const MAX_THREAD_REPLIES = 2_000;

export function createDataApiComments(api: DataApi): CommentSource {
  return {
    async *pages(videoId, max, call) {
      let left = max;
      for await (const comments of max > 0 ? listComments(api.begin(call), videoId, max) : []) {
        yield comments.slice(0, left);
        left -= comments.length;
        // This check precedes the request for the next page.
        if (left <= 0) return;
      }
    },
  };
}

/** Reads pages of comments. None is empty, and the last may exceed `max`. */
async function* listComments(
  request: SendDataApiRequest,
  videoId: string,
  max: number,
): AsyncGenerator<VideoComment[]> {
  const pages = pagesFrom(undefined, (pageToken) => {
    const maxResults = Math.min(PAGE_SIZE, max);
    const parts = { part: ['snippet', 'replies'], order: 'time', textFormat: 'plainText' };
    const params = { ...parts, videoId, maxResults, pageToken };
    return request({ resource: 'commentThreads', params, schema: commentThreadListSchema }).catch(
      noneWhen('commentsDisabled'),
    );
  });
  for await (const { items } of pages) {
    let batch: VideoComment[] = [];
    for (const { snippet, replies } of items) {
      const parent = snippet.topLevelComment;
      const given = replies?.comments ?? [];
      batch.push(toComment(parent));
      if ((snippet.totalReplyCount ?? 0) <= given.length) {
        batch.push(...oldestFirst(given.map((reply) => toComment(reply, parent.id))));
        continue;
      }
      // The replies are requested only if more comments are needed.
      yield batch;
      batch = [];
      const all = oldestFirst(await listReplies(request, parent.id));
      for (let start = 0; start < all.length; start += PAGE_SIZE) yield all.slice(start, start + PAGE_SIZE);
    }
    if (batch.length > 0) yield batch;
  }
}

async function listReplies(request: SendDataApiRequest, parentId: string): Promise<VideoComment[]> {
  const replies: VideoComment[] = [];
  const pages = pagesFrom(undefined, (pageToken) => {
    const params = { part: 'snippet', parentId, textFormat: 'plainText', maxResults: PAGE_SIZE, pageToken };
    // The comment and its replies were deleted after its thread was listed.
    return request({ resource: 'comments', params, schema: commentListSchema }).catch(noneWhen('commentNotFound'));
  });
  for await (const page of pages) {
    replies.push(...page.items.map((reply) => toComment(reply, parentId)));
    if (replies.length >= MAX_THREAD_REPLIES) break;
  }
  return replies.slice(0, MAX_THREAD_REPLIES);
}

/** @param replies newest first. The API does not guarantee that order, so times have priority. */
function oldestFirst(replies: readonly VideoComment[]): VideoComment[] {
  const sorted = replies.toReversed();
  if (sorted.some((reply) => reply.published_at === undefined)) return sorted;
  // `YYYY-MM-DD HH:MM:SS` sorts as text.
  return sorted.sort((a, b) => (a.published_at ?? '').localeCompare(b.published_at ?? ''));
}

function toComment({ id, snippet }: DataApiComment, replyTo?: string): VideoComment {
  return {
    id,
    author: snippet.authorDisplayName,
    author_id: snippet.authorChannelId?.value,
    text: bounded(snippet.textDisplay, COMMENT_MAX_CHARS),
    likes: snippet.likeCount,
    published_at: snippet.publishedAt,
    reply_to: snippet.parentId ?? replyTo,
  };
}
