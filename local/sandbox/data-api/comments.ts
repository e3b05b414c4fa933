import type { CatalogueComment } from '../catalogue.ts';
import { flatten, sortComments } from '../comments.ts';
import { apiRefusal, invalidPageToken, pageOf, type ApiCall } from './query.ts';
import { apiTime, listResponse, resource } from './listings.ts';

const MAX_RESULTS = { fallback: 20, max: 100 };
/** Replies that come with their thread; comments.list returns the rest. */
const THREAD_REPLIES = 5;

/** commentThreads.list of a video, `order` time or relevance. */
export function listCommentThreads(call: ApiCall): object {
  const { query, library } = call;
  const size = query.pageSize(MAX_RESULTS);
  const videoId = query.required('videoId');
  const video = library.video(videoId);
  if (video === undefined || ['private', 'removed'].includes(video.case)) {
    throw apiRefusal(404, 'videoNotFound', 'The video of the videoId parameter could not be found.');
  }
  if (video.comments === undefined) {
    throw apiRefusal(403, 'commentsDisabled', 'The video of the videoId parameter has disabled comments.');
  }
  const order = query.text('order') === 'relevance' ? 'top' : 'new';
  const list = { key: `${videoId} ${order}`, size, token: query.text('pageToken') };
  const { items, nextPageToken } = pageOf(sortComments(video.comments, order), list);
  return listResponse(
    'commentThread',
    items.map((one) => threadResource(one, call)),
    // The real API counts the page, not the list, and has no previous page.
    { totalResults: items.length, nextPageToken },
  );
}

/** comments.list of the replies in a thread, newest first. */
export function listComments(call: ApiCall): object {
  const { query, library } = call;
  const size = query.pageSize(MAX_RESULTS);
  const parentId = query.required('parentId');
  const token = query.text('pageToken');
  const thread = library.catalogue.videos.flatMap(({ comments = [] }) => comments).find(({ id }) => id === parentId);
  if (thread === undefined) {
    if (token !== undefined) throw invalidPageToken();
    throw apiRefusal(404, 'commentNotFound', 'The comment of the parentId parameter could not be found.');
  }
  const { items, nextPageToken } = pageOf(answersOf(thread), { key: parentId, size, token });
  return listResponse(
    'comment',
    items.map((one) => commentResource(one, call, thread.id)),
    { totalResults: items.length, nextPageToken },
  );
}

function threadResource(comment: CatalogueComment, call: ApiCall): object {
  const answers = answersOf(comment);
  const replies = answers.slice(0, THREAD_REPLIES).map((one) => commentResource(one, call, comment.id));
  return {
    ...resource('commentThread', comment.id),
    ...call.query.parts({
      snippet: { topLevelComment: commentResource(comment, call), totalReplyCount: answers.length },
      replies: replies.length === 0 ? undefined : { comments: replies },
    }),
  };
}

/** @param parentId the comment that the thread begins with */
function commentResource(comment: CatalogueComment, { query }: ApiCall, parentId?: string): object {
  return {
    ...resource('comment', comment.id),
    snippet: {
      textDisplay: query.text('textFormat') === 'plainText' ? comment.text : html(comment.text),
      textOriginal: comment.text,
      parentId,
      authorDisplayName: comment.author,
      authorChannelId: { value: comment.authorChannelId },
      likeCount: comment.like_count,
      publishedAt: apiTime(comment.published_at),
    },
  };
}

function answersOf(thread: CatalogueComment): CatalogueComment[] {
  return sortComments(flatten(thread.replies), 'new');
}

function html(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#39;')
    .replaceAll('\n', '<br>');
}
