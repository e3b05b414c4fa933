import { z } from 'zod';
import { ulidSchema } from '../ids.ts';
import { PRIORITIES, progressStages } from '../job-input.ts';
import { LIST_MAX_ITEMS, RESULT_PAGE_MAX_ITEMS, WEBHOOK_URL_MAX_CHARS } from '../request-limits.ts';
import { WEBHOOK_URL_PATTERN } from '../urls/url-patterns.ts';

/** An optional field of a request. Null counts as absent, because many clients send it for missing values. */
export function optionalField<Schema extends z.ZodType>(schema: Schema) {
  return schema.nullish().transform((value) => value ?? undefined);
}

export const PUBLIC_URL =
  'a publicly reachable http(s) URL. Public IP addresses and names in other scripts are accepted too, and hosts that the operator has allowed.';
export const webhookUrlSchema = z
  .string()
  .max(WEBHOOK_URL_MAX_CHARS)
  .meta({ pattern: WEBHOOK_URL_PATTERN, examples: ['https://example.com/hooks/media'] });
export const includeWebhookSchema = optionalField(
  webhookUrlSchema.meta({
    id: 'IncludeWebhook',
    description: `The URL to which the result is POSTed when the job ends: ${PUBLIC_URL}`,
  }),
);

/** The fields of every request for a job, beside its subject. */
export const jobFields = {
  include_webhook: includeWebhookSchema,
  priority: optionalField(z.enum(PRIORITIES))
    .optional()
    .describe(
      'The order of jobs that wait for the same route. Default: `normal` for single requests, and `bulk` for items of batches',
    ),
  not_before: optionalField(
    z.iso.datetime({ offset: true, error: 'must be a time with its zone, such as 2026-11-27T22:00:00Z' }),
  )
    .optional()
    .describe(
      'A job that this request starts begins at this time at the earliest, at most 30 days from now, unless another request wants the same at once',
    ),
  keep_days: optionalField(z.number().int().min(0).max(36_500))
    .optional()
    .describe(
      'For how many days after the end of a job that this request starts its contents are kept, unless others request them or the operator keeps them for a shorter time; 0: until the webhooks are delivered',
    ),
};

export function pageSchema(description: string, pattern: string, example: string) {
  return z
    .string()
    .max(2048)
    .meta({ description, pattern, examples: [example] });
}

export const pageLimitSchema = z.coerce
  .number()
  .int()
  .min(1)
  .max(LIST_MAX_ITEMS)
  .default(50)
  .describe('Maximum number of items on a page');
export const CURSOR_DESCRIPTION = '`next_cursor` of the previous page';
/** The description of the cursor of lists that are ordered by ID. */
export const pageQuerySchema = z.object({
  limit: pageLimitSchema,
  cursor: ulidSchema.optional().describe(CURSOR_DESCRIPTION),
});
export type PageQuery = z.infer<typeof pageQuerySchema>;
/** Of a result with a list. Without both, the result has the whole list. */
export const resultPageSchema = z.object({
  limit: z.coerce
    .number()
    .int()
    .min(1)
    .max(RESULT_PAGE_MAX_ITEMS)
    .optional()
    .describe('Only a page of the list in the result, with at most so many items; 100 with `cursor` alone'),
  cursor: z.string().max(100).optional().describe(CURSOR_DESCRIPTION),
});
export type ResultPage = z.infer<typeof resultPageSchema>;
export const resultCursorSchema = z
  .string()
  .nullable()
  .optional()
  .describe('With `limit` or `cursor` only: `cursor` of the next page of the list; null on the last one');
export const NEXT_CURSOR_DESCRIPTION = '`cursor` of the next page; null on the last one';
/** The field of lists that are ordered by ID. */
export const nextCursor = { next_cursor: ulidSchema.nullable().describe(NEXT_CURSOR_DESCRIPTION) };

export const moneySchema = z
  .string()
  .regex(/^\d+\.\d{3}$/)
  .meta({ description: 'Decimal string with three decimals', examples: ['0.005'] });
export const timestampSchema = z
  .string()
  .regex(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/)
  .meta({ description: 'ISO 8601 UTC with microseconds', examples: ['2026-11-21T09:30:00.123456Z'] });
export const durationSchema = z
  .string()
  .regex(/^\d{2,}:[0-5]\d:[0-5]\d$/)
  .meta({ description: 'HH:MM:SS', examples: ['00:03:25'] });
export const platformTimeSchema = z
  .string()
  .regex(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/)
  .meta({ description: 'YYYY-MM-DD HH:MM:SS in UTC', examples: ['2026-03-14 18:00:00'] });
export const countSchema = z.number().int().nonnegative();

export const progressSchema = z
  .object({
    stage: z.enum(progressStages),
    percent: z.number().min(0).max(100).optional(),
    downloaded_bytes: countSchema.optional(),
    total_bytes: countSchema.optional(),
    items: countSchema.optional().describe('Fetched items of a list, or transcribed windows of audio'),
    total_items: countSchema.optional().describe('Items that the platform reports, or windows of the audio'),
    reason: z.string().optional().describe('The reason why the job waits'),
    until: z.iso.datetime().optional().describe('The earliest time at which the job continues'),
  })
  .meta({ id: 'Progress', description: 'The progress of a running job; an addition to the specification' });
export type Progress = z.infer<typeof progressSchema>;
