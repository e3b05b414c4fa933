import { z } from 'zod';
import { FAILURE_CODES } from '../failures.ts';
import {
  CURSOR_DESCRIPTION,
  includeWebhookSchema,
  moneySchema,
  optionalField,
  pageSchema,
  pageLimitSchema,
} from '../http/fields.ts';
import { entryFilterSchema } from '../lists/entry-filter.ts';
import { eachEntrySchema } from '../lists/entry-request.ts';
import { BATCH_ITEMS_MAX, BATCH_NAME_MAX_CHARS } from '../request-limits.ts';
import { WEBHOOK_URL_PATTERN } from '../urls/url-patterns.ts';
import { batchItemSchema } from './batch-item.ts';
import { itemStates } from './batch-state.ts';

const maxCostSchema = optionalField(
  moneySchema.describe('The batch pauses when its next item would make it cost more than this'),
);

export const listUrlSchema = pageSchema(
  'URL of a playlist or channel of the video platform, of a profile of the photo platform, or of a page of another site that lists recordings, such as a podcast feed. The list of a profile costs what POST /api/imgnet/profile and /list cost, unless one is being collected or is fresh',
  WEBHOOK_URL_PATTERN,
  'https://www.youtube.com/@evening-talks',
);

/** The fields that subscriptions have, too. */
export const batchFields = {
  name: optionalField(z.string().trim().min(1).max(BATCH_NAME_MAX_CHARS).describe('A name for people')),
  filter: optionalField(entryFilterSchema),
  skip: optionalField(
    z
      .array(z.enum(FAILURE_CODES))
      .max(FAILURE_CODES.length)
      .describe('Items that fail with one of these codes are counted as `skipped`, such as `members_only`'),
  ),
  item_webhooks: includeWebhookSchema.describe('The URL to which the result of each item is POSTed'),
};

/** The body of POST /api/batches, an addition to the specification. Unknown fields are ignored. */
export const batchRequestSchema = z
  .object({
    ...batchFields,
    items: optionalField(
      z
        .array(batchItemSchema)
        .min(1, 'must have at least one item')
        .max(BATCH_ITEMS_MAX)
        .describe('The requests, which are started in this order. Two items must not mean the same job'),
    ),
    from: optionalField(listUrlSchema).describe('A list whose entries become the items, instead of `items`'),
    each: optionalField(eachEntrySchema).describe('Required with `from`'),
    limit: optionalField(z.number().int().min(1).max(BATCH_ITEMS_MAX)).describe(
      `With \`from\`: the most items; default: ${String(BATCH_ITEMS_MAX)}`,
    ),
    order: optionalField(z.enum(['newest', 'oldest'])).describe(
      'With `from`: `newest`, the default: in the order of the list, which is newest first for a channel; `oldest`: from its end',
    ),
    max_cost: maxCostSchema,
    include_webhook: includeWebhookSchema.describe('The URL to which the batch is POSTed once, when it has ended'),
  })
  .refine(({ items, from }) => (items === undefined) !== (from === undefined), {
    path: ['items'],
    error: 'either items or from is required',
  })
  .refine(({ from, each }) => (from === undefined) === (each === undefined), {
    path: ['each'],
    error: 'is required with from, and with from only',
  })
  .refine(({ from, filter, limit, order }) => from !== undefined || (filter ?? limit ?? order) === undefined, {
    path: ['from'],
    error: 'is required with filter, limit and order',
  })
  .meta({ id: 'BatchRequest', anyOf: [{ required: ['items'] }, { required: ['from', 'each'] }] });
export type BatchRequest = z.infer<typeof batchRequestSchema>;

/** The body of POST /api/batches/{batchId}/resume. */
export const resumeBatchSchema = z
  .object({ max_cost: maxCostSchema.describe('Replaces the `max_cost` of the batch') })
  .meta({ id: 'ResumeBatchRequest' });

export const batchItemsQuerySchema = z.object({
  state: z.enum(itemStates).optional().describe('Only items in this state'),
  limit: pageLimitSchema,
  cursor: z.coerce.number().int().min(0).max(BATCH_ITEMS_MAX).optional().describe(CURSOR_DESCRIPTION),
});
