import { z } from 'zod';
import { accountOf, SHORTCODE } from './urls/imgnet-urls.ts';
import { ulidSchema } from './ids.ts';
import { PRIORITIES } from './job-input.ts';
import { WEBHOOK_URL_MAX_CHARS } from './request-limits.ts';

/** The maximum length of the Temporal server. */
export const workflowIdSchema = z.string().min(1).max(1000);
/** A caller: the ID of a key, or a word such as `anonymous`. */
export const callerSchema = z.string().regex(/^[\w-]{1,64}$/);
export const httpUrlSchema = z
  .string()
  .max(WEBHOOK_URL_MAX_CHARS)
  .refine((text) => URL.canParse(text) && /^https?:$/.test(new URL(text).protocol), 'must be an http(s) URL');
/** Thousandths. A negative price would credit an account. */
export const thousandthsSchema = z.int().min(0).max(1_000_000_000);
export const storedCountSchema = z.int().min(0);
export const accountSchema = z.string().refine((text) => accountOf(text) === text, 'must be an account in lower case');
export const shortcodeSchema = z.string().regex(SHORTCODE);
export const postSchema = z.object({ shortcode: shortcodeSchema, kind: z.enum(['post', 'reel']) });
export const daySchema = z.iso.date();

/** The fields that the inputs of all jobs share. Each kind adds its type, `mediaId` and parameters. */
export const jobBaseSchema = z.object({
  version: z.int().min(1),
  recordId: ulidSchema,
  subjectId: workflowIdSchema,
  createdAt: z.iso.datetime(),
  price: thousandthsSchema,
  chargedTo: callerSchema.exactOptional(),
  startedBy: callerSchema,
  webhookUrl: httpUrlSchema.exactOptional(),
  endsWithStarter: z.literal(true).exactOptional(),
  batchId: ulidSchema.exactOptional(),
  order: z
    .object({
      priority: z.enum(PRIORITIES).exactOptional(),
      notBefore: z.iso.datetime().exactOptional(),
      keepDays: storedCountSchema.exactOptional(),
    })
    .exactOptional(),
});
