import { z } from 'zod';
import { WEBHOOK_URL_MAX_CHARS } from '../../contract/limits.ts';

/** Parts of what travels through Temporal to workflows and activities. */

/** The server's limit. Ids of ours are shorter, but running jobs may have one of an earlier version. */
export const workflowIdSchema = z.string().min(1).max(1000);

/** A caller: the id of a key, or a word such as `anonymous`. */
export const callerSchema = z.string().regex(/^[\w-]{1,64}$/);

export const httpUrlSchema = z
  .string()
  .max(WEBHOOK_URL_MAX_CHARS)
  .refine((text) => URL.canParse(text) && /^https?:$/.test(new URL(text).protocol), 'must be an http(s) URL');

/** Thousandths. A negative price would be a gift to an account. */
export const moneySchema = z.int().min(0).max(1_000_000_000);

/** Milliseconds since 1970, as far as a Date goes: a later one throws when it is written as text. */
export const epochMsSchema = z.number().min(0).max(8.64e15);

export const countSchema = z.int().min(0);
