import { z } from 'zod';
import { costOf } from './charges.ts';
import type { ContentsReader } from './contents.ts';
import { factsRecordSchema, renderFactsRecord } from '../http/download-schemas.ts';
import {
  countSchema,
  jobFields,
  moneySchema,
  optionalField,
  progressSchema,
  resultCursorSchema,
  type Progress,
} from '../http/fields.ts';
import { ulidSchema } from '../ids.ts';
import { postItemSchema, reelItemSchema, type WholeItem } from './imgnet-media.ts';
import {
  FAILED_IS_ADDED,
  failureCodeField,
  lastResponseSchema,
  renderFailure,
  type JobNews,
} from '../http/job-answers.ts';
import type { Kind, RenderContext } from './kind.ts';
import { MAX_AGE_DAYS_MAX } from '../request-limits.ts';
import { listPrices } from './list-price.ts';
import { formatMoney } from '../money.ts';
import { recordStatusSchema, type DownloadRecord, type FailedRecord, type SuccessRecord } from '../download-record.ts';
import type { Streamable } from '../http/streams.ts';
import { accountSchema, jobBaseSchema } from '../job-schema.ts';
import { imgnetListSample, listParametersSchema, type ListParameters, type ListPartName } from './imgnet-list-job.ts';

const DAYS_MESSAGE = `must be an integer from 0 to ${String(MAX_AGE_DAYS_MAX)}`;

/** The body of POST /api/imgnet/list (specification, section 4.1). Unknown fields are ignored. */
export const imgnetListRequestSchema = z
  .object({
    list_id: z.string().max(100).describe('`list_id` of a profile result; valid for one hour'),
    max_age_days: optionalField(
      z.int({ error: DAYS_MESSAGE }).min(0, DAYS_MESSAGE).max(MAX_AGE_DAYS_MAX, DAYS_MESSAGE),
    ).describe('Only items posted within the N days before the list was first requested; without it all items'),
    ...jobFields,
  })
  .meta({ id: 'ImgnetListRequest' });
export type ImgnetListRequest = z.infer<typeof imgnetListRequestSchema>;

const partFields = <Type extends string>(type: Type) => ({
  id: ulidSchema,
  type: z.literal(type),
  status: recordStatusSchema,
});
const costSchema = moneySchema.describe('While it is pending, what it costs if it succeeds');
const downloadsSchema = z.object({
  posts: z.object({ ...partFields('imgnet_list_posts'), cost: costSchema }),
  reels: z.object({ ...partFields('imgnet_list_reels'), cost: costSchema }),
});
const itemsFields = {
  posts: z.array(postItemSchema).describe('Empty where they could not be fetched, and in the webhook of the reels'),
  reels: z.array(reelItemSchema).describe('Empty where they could not be fetched, and in the webhook of the posts'),
  posts_count: countSchema,
  reels_count: countSchema,
  total_count: countSchema,
  downloads: downloadsSchema,
};
const lastResponsesSchema = z.object({ posts: lastResponseSchema.optional(), reels: lastResponseSchema.optional() });

/** Specification, section 2.3. A part is empty if it failed (see `last_response`) or if it is not that of the webhook. */
export const imgnetListSchema = z
  .object({
    status: z.literal('success'),
    message: z.string(),
    ...itemsFields,
    completeness: z
      .object({
        expected: countSchema
          .nullable()
          .describe(
            'The number of posts and reels in the profile; null when it is unknown, with `max_age_days`, and for one part',
          ),
        received: countSchema,
      })
      .describe('How complete the list is; an addition to the specification'),
    last_response: lastResponsesSchema.optional().describe('The part that failed'),
    next_cursor: resultCursorSchema,
  })
  .meta({ id: 'ImgnetList' });
export type ImgnetList = z.infer<typeof imgnetListSchema>;

export const imgnetListPendingSchema = z
  .object({
    status: z.literal('pending'),
    message: z.string(),
    downloads: z.object({
      posts: z.object(partFields('imgnet_list_posts')),
      reels: z.object(partFields('imgnet_list_reels')),
    }),
    total_cost: z.number().nonnegative().describe('What both parts cost if they succeed'),
    posts: z.array(postItemSchema).optional().describe('Present when only the reels are pending; an addition'),
    reels: z.array(reelItemSchema).optional().describe('Present when only the posts are pending; an addition'),
    last_response: lastResponsesSchema.optional().describe('A part that failed within the last 30 minutes'),
    progress: z.object({ posts: progressSchema.optional(), reels: progressSchema.optional() }).optional(),
  })
  .meta({ id: 'ImgnetListPending' });
export type ImgnetListPending = z.infer<typeof imgnetListPendingSchema>;

export const imgnetListFailedSchema = z
  .object({
    status: z.literal('failed'),
    message: z.string().describe('A sentence for people'),
    code: failureCodeField,
    ...itemsFields,
    last_response: lastResponsesSchema.optional(),
  })
  .meta({ id: 'ImgnetListFailed', description: FAILED_IS_ADDED });
export type ImgnetListFailed = z.infer<typeof imgnetListFailedSchema>;

export const imgnetListResultSchema = z
  .discriminatedUnion('status', [imgnetListSchema, imgnetListPendingSchema, imgnetListFailedSchema])
  .meta({ id: 'ImgnetListResult' });
export type ImgnetListResult = z.infer<typeof imgnetListResultSchema>;

export interface ListPart extends JobNews {
  readonly record: DownloadRecord;
}
export type ListParts = Readonly<Record<ListPartName, ListPart>>;

/** @param only the part whose end a webhook reports; the response of the endpoint contains both */
export function renderImgnetList(
  parts: ListParts,
  contents: ContentsReader,
  only?: ListPartName,
): Streamable<ImgnetListResult> {
  const reported = only === undefined ? [parts.posts, parts.reels] : [parts[only]];
  if (reported.some(({ record }) => record.status === 'pending')) return renderPending(parts, contents, only);
  const failures = reported.flatMap(({ record }) => (record.status === 'failed' ? [record] : []));
  const [first] = failures;
  if (first !== undefined && failures.length === reported.length) return renderFailed(parts, first, failures);
  return renderSuccess(parts, contents, only);
}

function renderSuccess(
  parts: ListParts,
  contents: ContentsReader,
  only: ListPartName | undefined,
): Streamable<ImgnetList> {
  // The other part is omitted even if it has ended too, because each attempt of a delivery must send the same content.
  const posts = only === 'reels' ? undefined : successOf(parts.posts);
  const reels = only === 'posts' ? undefined : successOf(parts.reels);
  const postsCount = itemsOf(posts, 'posts');
  const reelsCount = itemsOf(reels, 'reels');
  const received = postsCount + reelsCount;
  return {
    status: 'success',
    message: only === undefined ? messageOf(parts) : `The ${only} are complete.`,
    posts: posts === undefined ? [] : listOf(posts, 'posts', contents),
    reels: reels === undefined ? [] : listOf(reels, 'reels', contents),
    posts_count: postsCount,
    reels_count: reelsCount,
    total_count: received,
    downloads: downloadsOf(parts),
    completeness: { expected: (posts && reels && expectedOf(posts)) ?? null, received },
    last_response: lastResponsesOf(parts),
  };
}

function renderPending(
  { posts, reels }: ListParts,
  contents: ContentsReader,
  only: ListPartName | undefined,
): Streamable<ImgnetListPending> {
  const isAnyProgress = posts.progress !== undefined || reels.progress !== undefined;
  // Events about one part do not repeat the items of the other.
  const readyPosts = only === undefined ? successOf(posts) : undefined;
  const readyReels = only === undefined ? successOf(reels) : undefined;
  return {
    status: 'pending',
    message: only === undefined ? pendingMessageOf(readyPosts, readyReels) : `The ${only} are being fetched.`,
    downloads: {
      posts: { id: posts.record.id, type: 'imgnet_list_posts', status: posts.record.status },
      reels: { id: reels.record.id, type: 'imgnet_list_reels', status: reels.record.status },
    },
    total_cost: (costOf(posts.record) + costOf(reels.record)) / 1000,
    // A caller that polls gets one part while the other is still pending.
    posts: readyPosts && listOf(readyPosts, 'posts', contents),
    reels: readyReels && listOf(readyReels, 'reels', contents),
    last_response: lastResponsesOf({ posts, reels }),
    progress: isAnyProgress ? { posts: posts.progress, reels: reels.progress } : undefined,
  };
}

function pendingMessageOf(posts: SuccessRecord | undefined, reels: SuccessRecord | undefined): string {
  if (posts !== undefined) return 'The posts are complete; the reels are being fetched.';
  if (reels !== undefined) return 'The reels are complete; the posts are being fetched.';
  return 'The posts and reels are being fetched.';
}

function renderFailed(
  parts: ListParts,
  first: FailedRecord,
  failures: readonly FailedRecord[],
): Streamable<ImgnetListFailed> {
  const messages = new Set(failures.map(({ failure }) => failure.message));
  return {
    status: 'failed',
    message: [...messages].join(' '),
    code: first.failure.code,
    ...{ posts: [], reels: [], posts_count: 0, reels_count: 0, total_count: 0 },
    downloads: downloadsOf(parts),
    last_response: lastResponsesOf(parts),
  };
}

function messageOf({ posts, reels }: ListParts): string {
  if (posts.record.status === 'failed') return 'The reels are complete; the posts could not be fetched.';
  if (reels.record.status === 'failed') return 'The posts are complete; the reels could not be fetched.';
  return 'The list is complete.';
}

function downloadsOf({ posts, reels }: ListParts): ImgnetList['downloads'] {
  return {
    posts: { ...downloadOf(posts.record), type: 'imgnet_list_posts' },
    reels: { ...downloadOf(reels.record), type: 'imgnet_list_reels' },
  };
}

function downloadOf(record: DownloadRecord) {
  return { id: record.id, status: record.status, cost: formatMoney(costOf(record)) };
}

function lastResponsesOf({ posts, reels }: ListParts): ImgnetList['last_response'] {
  if (posts.lastResponse === undefined && reels.lastResponse === undefined) return undefined;
  return { posts: posts.lastResponse, reels: reels.lastResponse };
}

function successOf({ record }: ListPart): SuccessRecord | undefined {
  return record.status === 'success' ? record : undefined;
}

function listOf<Name extends ListPartName>(record: SuccessRecord, name: Name, contents: ContentsReader) {
  return contents.list<WholeItem[Name]>({ recordId: record.id, name, pieces: record.lists?.[name]?.pieces ?? 0 });
}

function itemsOf(record: SuccessRecord | undefined, name: ListPartName): number {
  return record?.lists?.[name]?.items ?? 0;
}

/** The number is unknown if the list is limited to some days. */
function expectedOf({ parameters }: SuccessRecord): number | undefined {
  const { sinceDate, postsCount } = (parameters ?? {}) as Partial<ListParameters>;
  return sinceDate === undefined ? postsCount : undefined;
}

function endedPart(record: DownloadRecord): ListPart {
  return { record, lastResponse: record.status === 'failed' ? renderFailure(record) : undefined };
}

const kindOf = (only: ListPartName) =>
  ({
    workflow: 'imgnetList',
    endpoint: 'imgnet/list',
    freshness: 3600,
    prices: listPrices,
    job: jobBaseSchema.extend({
      type: z.literal(`imgnet_list_${only}`),
      mediaId: accountSchema,
      parameters: listParametersSchema,
    }),
    sample: imgnetListSample(only),
    record: factsRecordSchema,
    // There is no such request, because it needs the `list_id` of a profile, which is valid for one hour.
    requestOf: (): undefined => undefined,
    renderRecord: renderFactsRecord(`imgnet_list_${only}`),
    /** Renders the webhook of a part. The failure of a part is final, so it has no age limit. */
    async render(record: DownloadRecord, { contents, lists }: RenderContext, progress?: Progress) {
      const own = { ...endedPart(record), progress };
      const other = endedPart(await lists.otherPart(record));
      const parts = only === 'posts' ? { posts: own, reels: other } : { posts: other, reels: own };
      return renderImgnetList(parts, contents, only);
    },
  }) as const satisfies Kind;

export const imgnetListPosts = kindOf('posts');
export const imgnetListReels = kindOf('reels');
