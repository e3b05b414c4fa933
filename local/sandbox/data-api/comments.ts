import type { CatalogueComment, CatalogueVideo } from '../catalogue.ts';
import { flatten, sortComments } from '../comments.ts';
import { avatars } from '../thumbnails.ts';
import type { ApiCall } from './call.ts';
import { pageOf } from './query.ts';
import { commentNotFound, commentsDisabled, invalidPageToken, missingParameter, videoNotFound } from './refusals.ts';
import { apiTime, listResponse, resource } from './resources.ts';

const MAX_RESULTS = { fallback: 20, max: 100 };
/** Answers that come with their thread; the rest is had with comments.list. */
const THREAD_REPLIES = 5;

/** commentThreads.list of a video, `order` time or relevance. */
export function listCommentThreads(call: ApiCall): object {
  const { query, library } = call;
  query.parts({});
  const size = query.maxResults(MAX_RESULTS);
  const videoId = query.text('videoId');
  if (videoId === undefined)
    throw missingParameter('No filter selected. Expected one of: allThreadsRelatedToChannelId, id, videoId', '');
  const video = library.video(videoId);
  if (video === undefined || ['private', 'removed'].includes(video.case)) throw videoNotFound();
  if (video.comments === undefined) throw commentsDisabled();
  const order = query.text('order') === 'relevance' ? 'top' : 'new';
  const list = { key: `${videoId} ${order}`, size, token: query.text('pageToken') };
  const { items, next } = pageOf(sortComments(video.comments, order), list);
  return listResponse(
    'commentThread',
    items.map((one) => threadResource(one, video, call)),
    // The real API counts the page and not the list, and knows no way back.
    { totalResults: items.length, resultsPerPage: size, tokens: onward(next) },
  );
}

/** comments.list of the answers in a thread, newest first. */
export function listComments(call: ApiCall): object {
  const { query, library } = call;
  query.parts({});
  const size = query.maxResults(MAX_RESULTS);
  const parentId = query.text('parentId');
  if (parentId === undefined) throw missingParameter('No filter selected. Expected one of: id, parentId', '');
  const found = findThread([...library.catalogue.videos], parentId);
  if (found === undefined) {
    if (query.text('pageToken') !== undefined) throw invalidPageToken();
    throw commentNotFound();
  }
  const { video, thread } = found;
  const { items, next } = pageOf(answersOf(thread), { key: parentId, size, token: query.text('pageToken') });
  return listResponse(
    'comment',
    items.map((one) => commentResource(one, { video, threadId: thread.id, call })),
    { totalResults: items.length, resultsPerPage: size, tokens: onward(next) },
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
      ...(threadId === undefined ? {} : { parentId: threadId }),
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

function findThread(
  videos: readonly CatalogueVideo[],
  id: string,
): { video: CatalogueVideo; thread: CatalogueComment } | undefined {
  for (const video of videos) {
    const thread = video.comments?.find((one) => one.id === id);
    if (thread !== undefined) return { video, thread };
  }
  return undefined;
}

function onward({ nextPageToken }: { readonly nextPageToken?: string }): object {
  return nextPageToken === undefined ? {} : { nextPageToken };
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
