import type { CatalogueChannel, CatalogueComment, CommentEntry } from './catalogue.ts';
import { channelIdFrom, commentIdFrom, replyIdFrom } from './ids.ts';

/** Every tenth generated comment has this many replies: more than the API returns with a thread. */
const GENERATED_REPLIES = 12;
const GENERATED_FROM = Date.parse('2026-05-30T09:00:00Z');
const MINUTE_MS = 60_000;

export function commentsOf(
  entries: readonly CommentEntry[],
  of: { readonly videoId: string; readonly channelOf: (handle: string) => CatalogueChannel | undefined },
): CatalogueComment[] {
  const comment = (entry: CommentEntry, ids: { id: string; threadId: string }): CatalogueComment => ({
    ...entry,
    id: ids.id,
    author: of.channelOf(entry.author)?.handle ?? entry.author,
    authorChannelId: of.channelOf(entry.author)?.id ?? channelIdFrom('author', entry.author),
    replies: entry.replies.map((reply, index) =>
      comment(reply, { id: replyIdFrom(ids.threadId, ids.id, String(index)), threadId: ids.threadId }),
    ),
  });
  return entries.map((entry, index) => {
    const id = commentIdFrom(of.videoId, String(index));
    return comment(entry, { id, threadId: id });
  });
}

/** Generates comments that are the same at every start; `total` includes replies. */
export function generateComments(total: number, videoId: string): CatalogueComment[] {
  const threads: CatalogueComment[] = [];
  for (let made = 0, n = 0; made < total; n += 1) {
    const id = commentIdFrom(videoId, 'generated', String(n));
    const published_at = new Date(GENERATED_FROM - n * 97 * MINUTE_MS);
    const replyCount = Math.min(n % 10 === 3 ? GENERATED_REPLIES : 0, total - made - 1);
    const replies = Array.from({ length: replyCount }, (_, index) => ({
      ...generated(`Answer ${String(index + 1)} to remark ${String(n + 1)}.`, index),
      id: replyIdFrom(id, String(index)),
      published_at: new Date(published_at.getTime() + (index + 1) * MINUTE_MS),
    }));
    threads.push({ ...generated(`Remark ${String(n + 1)} about the weather.`, n), id, published_at, replies });
    made += 1 + replyCount;
  }
  return threads;
}

function generated(text: string, n: number): Omit<CatalogueComment, 'id' | 'published_at'> {
  const author = `@listener-${String((n * 7) % 211)}`;
  const authorChannelId = channelIdFrom('author', author);
  return { author, authorChannelId, text, like_count: (n * 13) % 40, pinned: false, favorited: false, replies: [] };
}

export function flatten(comments: readonly CatalogueComment[]): CatalogueComment[] {
  return comments.flatMap((one) => [one, ...flatten(one.replies)]);
}

/** Sorts comments as the platform does: a pinned one first, then the newest or the best liked. */
export function sortComments(comments: readonly CatalogueComment[], order: 'new' | 'top'): CatalogueComment[] {
  const pinned = (one: CatalogueComment): number => (one.pinned ? 0 : 1);
  const newest = (a: CatalogueComment, b: CatalogueComment): number =>
    b.published_at.getTime() - a.published_at.getTime();
  return comments.toSorted(
    (a, b) => pinned(a) - pinned(b) || (order === 'top' ? b.like_count - a.like_count : 0) || newest(a, b),
  );
}
