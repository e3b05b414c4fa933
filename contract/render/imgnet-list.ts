import { chargeOf } from '../charges.ts';
import type { ContentsReader } from '../contents.ts';
import { formatMoney } from '../money.ts';
import { optional } from '../optional.ts';
import type { DownloadRecord, FailedRecord, SuccessRecord } from '../records.ts';
import type { Progress } from '../results/fields.ts';
import type { ImgnetList, ImgnetListFailed, ImgnetListPending, ImgnetListResult } from '../results/imgnet-list.ts';
import type { LastResponse } from '../results/last-response.ts';
import { ItemStream, type Streamable } from '../streams.ts';

/** One of the two parts of a list, as it is now. */
export interface ListPart {
  readonly record: DownloadRecord;
  readonly progress?: Progress | undefined;
  readonly lastResponse?: LastResponse | undefined;
}
/** Both for the endpoint's answer; one for the webhook of that part. */
export type ListParts =
  | { readonly posts: ListPart; readonly reels: ListPart }
  | { readonly posts: ListPart; readonly reels?: undefined }
  | { readonly posts?: undefined; readonly reels: ListPart };

/** The list (specification, section 2.3), in whatever state its parts are. */
export function renderImgnetList(parts: ListParts, contents: ContentsReader): Streamable<ImgnetListResult> {
  const { posts, reels } = parts;
  const records = [posts, reels].flatMap((part) => part?.record ?? []);
  if (records.some(({ status }) => status === 'pending')) {
    if (posts === undefined || reels === undefined) throw new Error('one part alone is told when it has ended');
    return renderPending(posts, reels, contents);
  }
  const failures = records.filter((record) => record.status === 'failed');
  const [first, second] = failures;
  if (first !== undefined && failures.length === records.length) return renderFailed(parts, first, second);
  return renderSuccess(parts, contents);
}

function renderSuccess(parts: ListParts, contents: ContentsReader): Streamable<ImgnetList> {
  const posts = successOf(parts.posts);
  const reels = successOf(parts.reels);
  const postsCount = itemsOf(posts, 'posts');
  const reelsCount = itemsOf(reels, 'reels');
  const received = (postsCount ?? 0) + (reelsCount ?? 0);
  return {
    status: 'success',
    message: messageOf(parts),
    ...optional('posts', posts === undefined ? undefined : streamOf(posts, 'posts', contents)),
    ...optional('reels', reels === undefined ? undefined : streamOf(reels, 'reels', contents)),
    ...optional('posts_count', postsCount),
    ...optional('reels_count', reelsCount),
    total_count: received,
    downloads: downloadsOf(parts),
    ...(posts === undefined || reels === undefined
      ? {}
      : { completeness: { expected: expectedOf(posts) ?? null, received } }),
    ...lastResponsesOf(parts),
  };
}

function renderPending(posts: ListPart, reels: ListPart, contents: ContentsReader): Streamable<ImgnetListPending> {
  const progress = { ...optional('posts', posts.progress), ...optional('reels', reels.progress) };
  const both = { posts, reels };
  const readyPosts = successOf(posts);
  const readyReels = successOf(reels);
  return {
    status: 'pending',
    message: pendingMessageOf(readyPosts, readyReels),
    downloads: {
      posts: { id: posts.record.id, type: 'imgnet_list_posts', status: posts.record.status },
      reels: { id: reels.record.id, type: 'imgnet_list_reels', status: reels.record.status },
    },
    total_cost: (costOf(posts.record) + costOf(reels.record)) / 1000,
    // Whoever polls while one part keeps failing gets the other.
    ...optional('posts', readyPosts && streamOf(readyPosts, 'posts', contents)),
    ...optional('reels', readyReels && streamOf(readyReels, 'reels', contents)),
    ...lastResponsesOf(both),
    ...(Object.keys(progress).length === 0 ? {} : { progress }),
  };
}

function pendingMessageOf(posts: SuccessRecord | undefined, reels: SuccessRecord | undefined): string {
  if (posts !== undefined) return 'The posts are here; the reels are being fetched.';
  return reels === undefined
    ? 'The posts and reels are being fetched.'
    : 'The reels are here; the posts are being fetched.';
}

function renderFailed(parts: ListParts, first: FailedRecord, second: FailedRecord | undefined): ImgnetListFailed {
  const messages = new Set([first, second].flatMap((record) => record?.failure.message ?? []));
  return {
    status: 'failed',
    message: [...messages].join(' '),
    code: first.failure.code,
    downloads: downloadsOf(parts),
    ...lastResponsesOf(parts),
  };
}

function messageOf({ posts, reels }: ListParts): string {
  if (posts?.record.status === 'failed') return 'The reels are here; the posts could not be fetched.';
  if (reels?.record.status === 'failed') return 'The posts are here; the reels could not be fetched.';
  if (reels === undefined) return 'The posts are complete.';
  return posts === undefined ? 'The reels are complete.' : 'The list is complete.';
}

function downloadsOf({ posts, reels }: ListParts): ImgnetList['downloads'] {
  return {
    ...(posts === undefined ? {} : { posts: { ...downloadOf(posts.record), type: 'imgnet_list_posts' } }),
    ...(reels === undefined ? {} : { reels: { ...downloadOf(reels.record), type: 'imgnet_list_reels' } }),
  };
}

function downloadOf(record: DownloadRecord) {
  return { id: record.id, status: record.status, cost: formatMoney(costOf(record)) };
}

function lastResponsesOf({ posts, reels }: ListParts): Pick<ImgnetList, 'last_response'> {
  const told = { ...optional('posts', posts?.lastResponse), ...optional('reels', reels?.lastResponse) };
  return Object.keys(told).length === 0 ? {} : { last_response: told };
}

function successOf(part: ListPart | undefined): SuccessRecord | undefined {
  return part?.record.status === 'success' ? part.record : undefined;
}

function itemsOf(record: SuccessRecord | undefined, name: 'posts' | 'reels'): number | undefined {
  return record === undefined ? undefined : (record.lists?.[name]?.items ?? 0);
}

function streamOf<Name extends 'posts' | 'reels'>(record: SuccessRecord, name: Name, contents: ContentsReader) {
  const pieces = record.lists?.[name]?.pieces ?? 0;
  return new ItemStream(() => contents.pages({ recordId: record.id, name, pieces }));
}

/** Of some days, nobody knows how much there is. */
function expectedOf({ parameters }: SuccessRecord): number | undefined {
  if (parameters === undefined || !('part' in parameters) || parameters.sinceDate !== undefined) return undefined;
  return parameters.postsCount;
}

function costOf(record: DownloadRecord): number {
  return record.status === 'pending' ? record.price : chargeOf(record);
}
