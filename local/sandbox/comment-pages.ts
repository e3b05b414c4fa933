import type { CatalogueComment, CatalogueVideo } from './catalogue.ts';
import { flatten, sortComments } from './comments.ts';
import { timeText } from './time-text.ts';

/** As many as a page of the platform has. */
const PAGE_COMMENTS = 20;
const PAGE_REPLIES = 10;

export interface CommentPageRequest {
  readonly baseUrl: string;
  /** Counted from 1. */
  readonly page: number;
  readonly sort: 'new' | 'top';
  /** Id of the comment whose answers are asked for; undefined: comments on the video. */
  readonly parent?: string | undefined;
}

/**
 * What the extractor plugin reads when comments are asked for: a page of comments, or of the answers to one.
 *
 * @returns undefined when comments are turned off, or there is no such parent
 */
export function commentPage(video: CatalogueVideo, request: CommentPageRequest): object | undefined {
  const { page, sort, parent } = request;
  if (video.comments === undefined) return undefined;
  const above = parent === undefined ? undefined : flatten(video.comments).find((one) => one.id === parent);
  if (parent !== undefined && above === undefined) return undefined;
  const all = above === undefined ? sortComments(video.comments, sort) : above.replies;
  const size = above === undefined ? PAGE_COMMENTS : PAGE_REPLIES;
  const start = (page - 1) * size;
  return {
    comments: all.slice(start, start + size).map((one) => commentFacts(one, video, request.baseUrl)),
    nextPage: start + size < all.length ? page + 1 : null,
  };
}

function commentFacts(comment: CatalogueComment, video: CatalogueVideo, baseUrl: string): object {
  return {
    id: comment.id,
    text: comment.text,
    author: comment.author,
    authorId: comment.authorChannelId,
    authorUrl: `${baseUrl}/${comment.author}`,
    authorIsUploader: comment.author === video.channel.handle,
    likeCount: comment.likeCount,
    isFavorited: comment.favorited,
    isPinned: comment.pinned,
    publishedText: timeText(comment.publishedAt),
    replyCount: comment.replies.length,
  };
}
