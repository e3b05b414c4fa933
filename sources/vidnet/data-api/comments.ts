import { optional } from '../../../contract/optional.ts';
import type { VideoComment } from '../../../contract/vidnet.ts';
import type { CommentSource } from '../comment-source.ts';
import { commentListSchema, commentThreadListSchema, type DataApiComment } from './answers.ts';
import type { AskDataApi, DataApi } from './client.ts';
import { isRefusedFor } from './failures.ts';
import { pagesFrom } from './paging.ts';

/** Most that `commentThreads.list` and `comments.list` give. */
const PAGE_SIZE = 100;

/** Comments from the Data API, newest first, each followed by its replies. */
export function createDataApiComments(api: DataApi): CommentSource {
  return {
    async *pages(videoId, max, call) {
      let left = max;
      for await (const comments of max > 0 ? listComments(api.begin(call), videoId, max) : []) {
        yield comments.slice(0, left);
        left -= comments.length;
        // Before the next page is asked for.
        if (left <= 0) return;
      }
    },
  };
}

/** Pages of comments, none empty; the last may go beyond `max`. */
async function* listComments(ask: AskDataApi, videoId: string, max: number): AsyncGenerator<VideoComment[]> {
  const pages = pagesFrom(undefined, (pageToken) => threadPage(ask, { videoId, pageToken, max }));
  for await (const { items } of pages) {
    let batch: VideoComment[] = [];
    for (const { snippet, replies } of items) {
      const parent = snippet.topLevelComment;
      const given = replies?.comments ?? [];
      batch.push(toComment(parent, null));
      if ((snippet.totalReplyCount ?? 0) <= given.length) {
        batch.push(...given.map((reply) => toComment(reply, parent.id)));
        continue;
      }
      yield batch;
      batch = [];
      for await (const page of pagesFrom(undefined, (pageToken) => replyPage(ask, parent.id, pageToken))) {
        if (page.items.length > 0) yield page.items.map((reply) => toComment(reply, parent.id));
      }
    }
    if (batch.length > 0) yield batch;
  }
}

async function threadPage(
  ask: AskDataApi,
  {
    videoId,
    pageToken,
    max,
  }: { readonly videoId: string; readonly pageToken: string | undefined; readonly max: number },
) {
  try {
    return await ask({
      what: 'commentThreads.list',
      schema: commentThreadListSchema,
      send: (client, options) =>
        client.commentThreads.list(
          {
            part: ['snippet', 'replies'],
            videoId,
            order: 'time',
            textFormat: 'plainText',
            maxResults: Math.min(PAGE_SIZE, max),
            ...optional('pageToken', pageToken),
          },
          options,
        ),
    });
  } catch (error) {
    if (isRefusedFor(error, 'commentsDisabled')) return { items: [], nextPageToken: undefined };
    throw error;
  }
}

async function replyPage(ask: AskDataApi, parentId: string, pageToken: string | undefined) {
  try {
    return await ask({
      what: 'comments.list',
      schema: commentListSchema,
      send: (client, options) =>
        client.comments.list(
          {
            part: ['snippet'],
            parentId,
            textFormat: 'plainText',
            maxResults: PAGE_SIZE,
            ...optional('pageToken', pageToken),
          },
          options,
        ),
    });
  } catch (error) {
    // Deleted since its thread was listed, and its replies with it.
    if (isRefusedFor(error, 'commentNotFound')) return { items: [], nextPageToken: undefined };
    throw error;
  }
}

function toComment({ id, snippet }: DataApiComment, replyTo: string | null): VideoComment {
  return {
    id,
    ...optional('author', snippet.authorDisplayName),
    ...optional('authorId', snippet.authorChannelId?.value),
    text: snippet.textDisplay,
    ...optional('likes', snippet.likeCount),
    ...optional('publishedAt', snippet.publishedAt),
    replyTo: snippet.parentId ?? replyTo,
  };
}
