import { z } from 'zod';
import { chargeOf } from '../charges.ts';
import type { ContentsReader } from '../contents.ts';
import { factsRecordSchema, renderFactsRecord } from '../downloads.ts';
import {
  countSchema,
  includeWebhookSchema,
  moneySchema,
  optionalField,
  progressSchema,
  PUBLIC_URL,
  type Progress,
} from '../fields.ts';
import { ulidSchema } from '../ids.ts';
import { postItemSchema, reelItemSchema, type PostItem, type ReelItem } from '../imgnet-media.ts';
import { FAILED_IS_ADDED, failureCodeField, lastResponseSchema, type JobNews } from '../job-answers.ts';
import type { JobInput } from '../jobs.ts';
import type { Kind, PricesOf, RenderContext } from '../kind.ts';
import { MAX_AGE_DAYS_MAX } from '../limits.ts';
import { formatMoney, type Thousandths } from '../money.ts';
import { recordStatusSchema, type DownloadRecord, type FailedRecord, type SuccessRecord } from '../records.ts';
import { ItemStream, type Streamable } from '../streams.ts';

const DAYS_MESSAGE = `must be an integer from 0 to ${String(MAX_AGE_DAYS_MAX)}`;

/** Body of POST /api/imgnet/list (specification, section 4.1). Unknown fields are ignored. */
export const imgnetListRequestSchema = z
  .object({
    list_id: z.string().max(100).describe('`list_id` of a profile result; valid for one hour'),
    max_age_days: optionalField(
      z.int({ error: DAYS_MESSAGE }).min(0, DAYS_MESSAGE).max(MAX_AGE_DAYS_MAX, DAYS_MESSAGE),
    ).describe('Only what was posted within the last N days, since midnight UTC of the first; everything without it'),
    include_webhook: includeWebhookSchema.describe(`Where each of the two parts is POSTed when it ends: ${PUBLIC_URL}`),
  })
  .meta({ id: 'ImgnetListRequest' });
export type ImgnetListRequest = z.infer<typeof imgnetListRequestSchema>;

/** Some of an account's posts or reels. */
export interface ListParameters {
  readonly part: 'posts' | 'reels';
  /** First day, `YYYY-MM-DD` in UTC; without it, from the beginning. */
  readonly sinceDate?: string;
  /** How many posts the profile counts, reels among them, if it tells. */
  readonly postsCount?: number;
}
export type ListJob = JobInput & { readonly parameters: ListParameters };

/** A part of a list, as a download. */
const partFields = <Type extends string>(type: Type) => ({
  id: ulidSchema,
  type: z.literal(type),
  status: recordStatusSchema,
});
const downloadsSchema = z.object({
  posts: z.object({ ...partFields('imgnet_list_posts'), cost: moneySchema }).optional(),
  reels: z.object({ ...partFields('imgnet_list_reels'), cost: moneySchema }).optional(),
});
const lastResponsesSchema = z.object({ posts: lastResponseSchema.optional(), reels: lastResponseSchema.optional() });

/**
 * The list of an account's posts and reels (specification, section 2.3). A part that failed is absent, and
 * `last_response` tells why; a webhook brings the one part that has ended.
 */
export const imgnetListSchema = z
  .object({
    status: z.literal('success'),
    message: z.string(),
    posts: z.array(postItemSchema).optional(),
    reels: z.array(reelItemSchema).optional(),
    posts_count: countSchema.optional(),
    reels_count: countSchema.optional(),
    total_count: countSchema,
    downloads: downloadsSchema,
    completeness: z
      .object({
        expected: countSchema
          .nullable()
          .describe(
            'What the profile counts, posts and reels together; null when it does not tell, or for some days only',
          ),
        received: countSchema,
      })
      .optional()
      .describe('How much of the account is here, when both parts are; an addition to the specification'),
    last_response: lastResponsesSchema.optional().describe('The part that failed'),
  })
  .meta({ id: 'ImgnetList' });
export type ImgnetList = z.infer<typeof imgnetListSchema>;

/** The answer while a part of the list is fetched. */
export const imgnetListPendingSchema = z
  .object({
    status: z.literal('pending'),
    message: z.string(),
    downloads: z.object({
      posts: z.object(partFields('imgnet_list_posts')),
      reels: z.object(partFields('imgnet_list_reels')),
    }),
    total_cost: z.number().nonnegative().describe('What both parts cost if they succeed'),
    posts: z.array(postItemSchema).optional().describe('When only the reels are still fetched; an addition'),
    reels: z.array(reelItemSchema).optional().describe('When only the posts are still fetched; an addition'),
    last_response: lastResponsesSchema.optional().describe('A part that failed within the last 30 minutes'),
    progress: z.object({ posts: progressSchema.optional(), reels: progressSchema.optional() }).optional(),
  })
  .meta({ id: 'ImgnetListPending' });
export type ImgnetListPending = z.infer<typeof imgnetListPendingSchema>;

/** The answer when no part of the list could be had. */
export const imgnetListFailedSchema = z
  .object({
    status: z.literal('failed'),
    message: z.string().describe('A sentence for people'),
    code: failureCodeField,
    downloads: downloadsSchema,
    last_response: lastResponsesSchema.optional(),
  })
  .meta({ id: 'ImgnetListFailed', description: FAILED_IS_ADDED });
export type ImgnetListFailed = z.infer<typeof imgnetListFailedSchema>;

/** Answer of POST /api/imgnet/list, and, with one part, the body of its two webhooks. */
export const imgnetListResultSchema = z
  .discriminatedUnion('status', [imgnetListSchema, imgnetListPendingSchema, imgnetListFailedSchema])
  .meta({ id: 'ImgnetListResult' });
export type ImgnetListResult = z.infer<typeof imgnetListResultSchema>;

const prices = {
  listItem: {
    setting: 'PRICE_LIST_ITEM',
    default: '0.001',
    about: "Price of a list, for each of the profile's posts",
  },
} as const;

/** A list that has next to nothing is priced as one of that many posts: it was asked for all the same. */
const LIST_LEAST_ITEMS = 10;

/** The price of both parts of a list, by how many posts the profile counts; where it does not tell, the least. */
export function listPrice({ listItem }: PricesOf<typeof prices>, postsCount: number | undefined): Thousandths {
  return listItem * Math.max(LIST_LEAST_ITEMS, postsCount ?? 0);
}

/** The two parts of a list's price; the posts have the odd thousandth. */
export function splitListPrice(price: Thousandths): { readonly posts: Thousandths; readonly reels: Thousandths } {
  const reels = Math.floor(price / 2);
  return { posts: price - reels, reels };
}

/** One of the two parts of a list, as it is now. */
export interface ListPart extends JobNews {
  readonly record: DownloadRecord;
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
    posts: posts && streamOf<PostItem>(posts, 'posts', contents),
    reels: reels && streamOf<ReelItem>(reels, 'reels', contents),
    posts_count: postsCount,
    reels_count: reelsCount,
    total_count: received,
    downloads: downloadsOf(parts),
    completeness: posts && reels && { expected: expectedOf(posts) ?? null, received },
    last_response: lastResponsesOf(parts),
  };
}

function renderPending(posts: ListPart, reels: ListPart, contents: ContentsReader): Streamable<ImgnetListPending> {
  const isAnyProgress = posts.progress !== undefined || reels.progress !== undefined;
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
    posts: readyPosts && streamOf<PostItem>(readyPosts, 'posts', contents),
    reels: readyReels && streamOf<ReelItem>(readyReels, 'reels', contents),
    last_response: lastResponsesOf({ posts, reels }),
    progress: isAnyProgress ? { posts: posts.progress, reels: reels.progress } : undefined,
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
    last_response: lastResponsesOf(parts),
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
    posts: posts && { ...downloadOf(posts.record), type: 'imgnet_list_posts' },
    reels: reels && { ...downloadOf(reels.record), type: 'imgnet_list_reels' },
  };
}

function downloadOf(record: DownloadRecord) {
  return { id: record.id, status: record.status, cost: formatMoney(costOf(record)) };
}

function lastResponsesOf({ posts, reels }: ListParts): ImgnetList['last_response'] {
  if (posts?.lastResponse === undefined && reels?.lastResponse === undefined) return undefined;
  return { posts: posts?.lastResponse, reels: reels?.lastResponse };
}

function successOf(part: ListPart | undefined): SuccessRecord | undefined {
  return part?.record.status === 'success' ? part.record : undefined;
}

function itemsOf(record: SuccessRecord | undefined, name: 'posts' | 'reels'): number | undefined {
  return record === undefined ? undefined : (record.lists?.[name]?.items ?? 0);
}

function streamOf<Item>(record: SuccessRecord, name: 'posts' | 'reels', contents: ContentsReader): ItemStream<Item> {
  const pieces = record.lists?.[name]?.pieces ?? 0;
  return new ItemStream(() => contents.pages<Item>({ recordId: record.id, name, pieces }));
}

/** Of some days, nobody knows how much there is. */
function expectedOf({ parameters }: SuccessRecord): number | undefined {
  const { sinceDate, postsCount } = (parameters ?? {}) as Partial<ListParameters>;
  return sinceDate === undefined ? postsCount : undefined;
}

function costOf(record: DownloadRecord): number {
  return record.status === 'pending' ? record.price : chargeOf(record);
}

/** The posts of an account. */
export const imgnetListPosts = {
  workflow: 'imgnetList',
  endpoint: 'imgnet/list',
  freshness: 3600,
  prices,
  record: factsRecordSchema,
  renderRecord: renderFactsRecord('imgnet_list_posts'),
  render: (record: DownloadRecord, { contents }: RenderContext, progress?: Progress) =>
    renderImgnetList({ posts: { record, progress } }, contents),
} as const satisfies Kind;

/** Its reels, which are a job of their own: each part has its webhook. */
export const imgnetListReels = {
  ...imgnetListPosts,
  renderRecord: renderFactsRecord('imgnet_list_reels'),
  render: (record: DownloadRecord, { contents }: RenderContext, progress?: Progress) =>
    renderImgnetList({ reels: { record, progress } }, contents),
} as const satisfies Kind;
