import type { CatalogueComment, CatalogueVideo } from '../catalogue.ts';
import { flatten, sortComments } from '../comments.ts';
import { avatars } from '../thumbnails.ts';
import { invalidPageToken, pageOf, type ApiCall } from './query.ts';
import { ApiRefusal } from './refusal.ts';
import { apiTime, listResponse, resource } from './resources.ts';

const MAX_RESULTS = { fallback: 20, max: 100 };
/** Answers that come with their thread; the rest is had with comments.list. */
const THREAD_REPLIES = 5;
const VIDEO_ID = '<code><a href="/youtube/v3/docs/commentThreads/list#videoId">videoId</a></code>';

/** commentThreads.list of a video, `order` time or relevance. */
export function listCommentThreads(call: ApiCall): object {
  const { query, library } = call;
  const size = query.pageSize(MAX_RESULTS);
  const videoId = query.required('videoId');
  const video = library.video(videoId);
  if (video === undefined || ['private', 'removed'].includes(video.case)) {
    throw new ApiRefusal(404, {
      reason: 'videoNotFound',
      message: `The video identified by the ${VIDEO_ID} parameter could not be found.`,
    });
  }
  if (video.comments === undefined) {
    throw new ApiRefusal(403, {
      reason: 'commentsDisabled',
      message: `The video identified by the ${VIDEO_ID} parameter has disabled comments.`,
    });
  }
  const order = query.text('order') === 'relevance' ? 'top' : 'new';
  const list = { key: `${videoId} ${order}`, size, token: query.text('pageToken') };
  const { items, nextPageToken } = pageOf(sortComments(video.comments, order), list);
  return listResponse(
    'commentThread',
    items.map((one) => threadResource(one, video, call)),
    // The real API counts the page and not the list, and knows no way back.
    { totalResults: items.length, resultsPerPage: size, tokens: { nextPageToken } },
  );
}

/** comments.list of the answers in a thread, newest first. */
export function listComments(call: ApiCall): object {
  const { query, library } = call;
  const size = query.pageSize(MAX_RESULTS);
  const parentId = query.required('parentId');
  const token = query.text('pageToken');
  const [found] = library.catalogue.videos.flatMap((video) =>
    (video.comments ?? []).filter(({ id }) => id === parentId).map((thread) => ({ video, thread })),
  );
  if (found === undefined) {
    if (token !== undefined) throw invalidPageToken();
    throw new ApiRefusal(404, {
      reason: 'commentNotFound',
      message: 'The comment identified by the <code>parentId</code> parameter could not be found.',
    });
  }
  const { video, thread } = found;
  const { items, nextPageToken } = pageOf(answersOf(thread), { key: parentId, size, token });
  return listResponse(
    'comment',
    items.map((one) => commentResource(one, { video, threadId: thread.id, call })),
    { totalResults: items.length, resultsPerPage: size, tokens: { nextPageToken } },
  );
}

function threadResource(comment: CatalogueComment, video: CatalogueVideo, call: ApiCall): object {
  const answers = answersOf(comment);
  const replies = answers
    .slice(0, THREAD_REPLIES)
    .map((one) => commentResource(one, { video, threadId: comment.id, call }));
  return {
    ...resource('commentThread', comment.id),
    ...call.query.parts({
      snippet: {
        channelId: video.channel.id,
        videoId: video.id,
        topLevelComment: commentResource(comment, { video, threadId: undefined, call }),
        canReply: true,
        totalReplyCount: answers.length,
        isPublic: true,
      },
      replies: replies.length === 0 ? undefined : { comments: replies },
    }),
  };
}

function commentResource(
  comment: CatalogueComment,
  { video, threadId, call }: { video: CatalogueVideo; threadId: string | undefined; call: ApiCall },
): object {
  const { query, baseUrl } = call;
  const plain = query.text('textFormat') === 'plainText';
  const publishedAt = apiTime(comment.publishedAt);
  return {
    ...resource('comment', comment.id),
    snippet: {
      channelId: video.channel.id,
      videoId: video.id,
      textDisplay: plain ? comment.text : html(comment.text),
      textOriginal: comment.text,
      // Also of an answer to an answer it is the comment that the thread begins with.
      parentId: threadId,
      authorDisplayName: comment.author,
      authorProfileImageUrl: avatars({ id: comment.authorChannelId }, baseUrl)[0]?.url,
      authorChannelUrl: `${baseUrl}/channel/${comment.authorChannelId}`,
      authorChannelId: { value: comment.authorChannelId },
      canRate: true,
      viewerRating: 'none',
      likeCount: comment.likeCount,
      publishedAt,
      updatedAt: publishedAt,
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
