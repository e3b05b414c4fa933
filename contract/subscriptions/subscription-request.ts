import { z } from 'zod';
import { batchFields, listUrlSchema } from '../batches/batch-request.ts';
import { batchItemSchema, failureSchema, pauseSchemaOf } from '../batches/batch-answers.ts';
import {
  countSchema,
  CURSOR_DESCRIPTION,
  includeWebhookSchema,
  moneySchema,
  NEXT_CURSOR_DESCRIPTION,
  nextCursor,
  optionalField,
  pageLimitSchema,
  timestampSchema,
} from '../http/fields.ts';
import { ulidSchema } from '../ids.ts';
import { eachEntrySchema } from '../lists/entry-request.ts';
import { formatMoney } from '../money.ts';
import { spentOn, SUBSCRIPTION_PAUSES, type StoredSubscription } from './subscription-state.ts';

const EVERY_MIN_MINUTES = 15;
const EVERY_MAX_MINUTES = 30 * 24 * 60;
const UNITS = { m: 1, h: 60, d: 24 * 60 } as const;

const everySchema = z
  .string()
  .regex(/^[1-9]\d{0,4}[mhd]$/, { error: 'must be a number with m, h or d, such as 6h', abort: true })
  .refine((text) => minutesOf(text) >= EVERY_MIN_MINUTES && minutesOf(text) <= EVERY_MAX_MINUTES, {
    error: 'must be from 15m to 30d',
  })
  .meta({ description: 'The time between two checks: minutes, hours or days', examples: ['6h'] });

export function minutesOf(every: string): number {
  return Number(every.slice(0, -1)) * UNITS[every.slice(-1) as keyof typeof UNITS];
}

const changeable = {
  ...batchFields,
  every: optionalField(everySchema).describe('Default: `6h`. Checks are spread over a tenth of it'),
  max_cost_per_day: optionalField(moneySchema).describe(
    'Entries that would make a day in UTC cost more than this wait for the next one. The checks of a profile count, too',
  ),
  include_webhook: includeWebhookSchema.describe(
    'The URL to which each batch of new entries is POSTed at its end, and the subscription when its source fails for long',
  ),
};

const SINCE = 'must be now, all, or a day such as 2026-11-27';

/** The body of POST /api/subscriptions, an addition to the specification. Unknown fields are ignored. */
export const subscriptionRequestSchema = z
  .object({
    from: listUrlSchema,
    each: eachEntrySchema,
    since: z
      .union([z.enum(['now', 'all']), z.iso.date(SINCE)], SINCE)
      .describe(
        '`now`: only what is published from now on; a day: also what was published since then; `all`: everything, after POST …/resume, before which the answer has the number and cost in `backlog`',
      ),
    ...changeable,
  })
  .meta({ id: 'SubscriptionRequest' });
export type SubscriptionRequest = z.infer<typeof subscriptionRequestSchema>;

/** The body of PATCH /api/subscriptions/{subscriptionId}: the fields to change. */
export const subscriptionChangeSchema = z.object(changeable).meta({ id: 'SubscriptionChange' });
export type SubscriptionChange = z.infer<typeof subscriptionChangeSchema>;

export const subscriptionItemsQuerySchema = z.object({
  limit: pageLimitSchema,
  cursor: z
    .string()
    .regex(/^[0-7][0-9A-HJKMNP-TV-Z]{25}:\d{1,5}$/, 'must be a next_cursor')
    .optional()
    .describe(CURSOR_DESCRIPTION),
});

export const subscriptionSchema = z
  .object({
    id: ulidSchema,
    name: z.string().nullable(),
    from: z.string(),
    each: z.record(z.string(), z.unknown()),
    filter: z.record(z.string(), z.unknown()),
    since: z.string(),
    every: z.string(),
    status: z.enum(['active', 'paused']),
    pause: pauseSchemaOf(SUBSCRIPTION_PAUSES),
    backlog: z
      .object({ items: countSchema, cost: moneySchema.describe('At most') })
      .describe('Entries that wait: for POST …/resume, for the end of a premiere, or for the next day'),
    started: countSchema.describe('The number of entries that were started'),
    cost_today: moneySchema.describe('The prices of what was started today, in UTC'),
    check_cost: moneySchema
      .nullable()
      .describe(
        'The cost of a check of a profile whose list is not running or fresh: the least one until the first check; null for other lists',
      ),
    max_cost_per_day: moneySchema.nullable(),
    checked_at: timestampSchema.nullable(),
    failure: failureSchema.nullable().describe('Why the last check failed'),
    created_at: timestampSchema,
    url: z.string().describe('The path of the subscription'),
  })
  .meta({ id: 'Subscription' });
export type SubscriptionAnswer = z.infer<typeof subscriptionSchema>;

export const subscriptionListSchema = z
  .object({ subscriptions: z.array(subscriptionSchema).describe('Newest first'), ...nextCursor })
  .meta({ id: 'SubscriptionList' });

export const subscriptionItemsSchema = z
  .object({
    items: z
      .array(batchItemSchema.extend({ batch_id: ulidSchema }))
      .describe('The items of the newest batch come first'),
    next_cursor: z.string().nullable().describe(NEXT_CURSOR_DESCRIPTION),
  })
  .meta({ id: 'SubscriptionItems' });

export function renderSubscription(
  { source, pause, spent, failing, maxCostPerDay, checkPrice, checkedAtMs, ...subscription }: StoredSubscription,
  nowMs: number,
): SubscriptionAnswer {
  const { id, name, since, waiting, started, createdAt, everyMinutes, price } = subscription;
  return {
    ...{ id, name: name ?? null, from: source.url, each: source.each, filter: source.filter, since },
    ...{ every: everyOf(everyMinutes), status: pause === undefined ? 'active' : 'paused', started },
    pause: pause === undefined ? null : { code: pause, message: SUBSCRIPTION_PAUSES[pause] },
    backlog: { items: waiting.length, cost: formatMoney(waiting.length * price) },
    cost_today: formatMoney(spentOn(nowMs, { spent })),
    check_cost: checkPrice === undefined ? null : formatMoney(Math.max(checkPrice, subscription.listRun?.cost ?? 0)),
    max_cost_per_day: maxCostPerDay === undefined ? null : formatMoney(maxCostPerDay),
    checked_at: checkedAtMs === undefined ? null : new Date(checkedAtMs).toISOString().replace('Z', '000Z'),
    failure: failing?.failure ?? null,
    created_at: createdAt,
    url: `/api/subscriptions/${id}`,
  };
}

function everyOf(minutes: number): string {
  const [unit, length] = Object.entries(UNITS).findLast(([, each]) => minutes % each === 0) ?? ['m', 1];
  return `${String(minutes / length)}${unit}`;
}
