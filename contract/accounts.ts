import { z } from 'zod';
import { moneySchema, timestampSchema } from './fields.ts';
import { ulidSchema } from './ids.ts';
import { LIST_MAX_ITEMS } from './limits.ts';
import { formatMoney, type Thousandths } from './money.ts';
import { recordTypeSchema } from './records.ts';

/** What an API key may do: look, start and cancel jobs, test and repeat webhooks. */
export const scopes = ['read', 'jobs', 'webhooks'] as const;
export const scopeSchema = z.enum(scopes);
export type Scope = z.infer<typeof scopeSchema>;

/** A key as operators and its holder see it; its secret is known to the holder only. */
export interface ApiKey {
  /** 16 hexadecimal digits. */
  readonly id: string;
  /** For people. */
  readonly name: string;
  readonly scopes: readonly Scope[];
  /** ISO 8601 UTC with microseconds, like the next one. */
  readonly createdAt: string;
  /** Absent while the key is good. */
  readonly revokedAt?: string;
}

/** Who asks. `service`: another service of ours, over tRPC; like `anonymous`, it has no account. */
export type Caller =
  | { readonly kind: 'anonymous'; /** Who shares its limits, such as an address. */ readonly limitedAs?: string }
  | { readonly kind: 'service' }
  | { readonly kind: 'key'; readonly key: Omit<ApiKey, 'revokedAt'> };

/** What is set aside for a job that a key has started. */
export interface Hold {
  /** The record of the job. */
  readonly recordId: string;
  readonly subjectId: string;
  readonly amount: Thousandths;
}

/** The money of a key. What was granted is what is left, what is set aside, and what was spent. */
export interface Account {
  readonly keyId: string;
  /** Jobs of such a key are counted and never refused. */
  readonly isUnlimited: boolean;
  readonly granted: Thousandths;
  readonly available: Thousandths;
  readonly spent: Thousandths;
}
export const reservedOf = ({ granted, available, spent }: Account): Thousandths => granted - available - spent;

/** What a download cost, booked once. */
export interface LedgerEntry {
  readonly recordId: string;
  readonly keyId: string;
  readonly type: string;
  readonly mediaId: string;
  readonly amount: Thousandths;
  /** When the download ended: ISO 8601 UTC with microseconds. */
  readonly bookedAt: string;
}

/** Query of GET /api/account. */
export const accountQuerySchema = z.object({
  limit: z.coerce.number().int().min(1).max(LIST_MAX_ITEMS).default(50).describe('Most entries on a page'),
  cursor: ulidSchema.optional().describe('`next_cursor` of the page before'),
});
export type AccountQuery = z.infer<typeof accountQuerySchema>;

/** What GET /api/account answers; an addition to the specification. */
export const accountSchema = z
  .object({
    key: z.object({
      id: z.string().describe('Not secret'),
      name: z.string(),
      scopes: z.array(scopeSchema),
      created_at: timestampSchema,
    }),
    credit: moneySchema.nullable().describe('What new jobs may cost; null: unlimited'),
    reserved: moneySchema.describe('Set aside for jobs that have not ended'),
    spent: moneySchema.describe('What all downloads of the key have cost'),
    entries: z
      .array(
        z.object({
          download_id: ulidSchema,
          type: recordTypeSchema,
          media_id: z.string(),
          amount: moneySchema,
          booked_at: timestampSchema,
        }),
      )
      .describe('What each download has cost, newest first; those that cost nothing are left out'),
    next_cursor: ulidSchema.nullable().describe('`cursor` of the next page; null on the last one'),
  })
  .meta({ id: 'Account' });
export type AccountResult = z.infer<typeof accountSchema>;

/** An account as its holder sees it, with a page of its entries. */
export function renderAccount(
  { id, name, scopes: allowed, createdAt }: Omit<ApiKey, 'revokedAt'>,
  account: Account,
  { entries, isLast }: { readonly entries: readonly LedgerEntry[]; readonly isLast: boolean },
): AccountResult {
  const body = {
    key: { id, name, scopes: allowed, created_at: createdAt },
    credit: account.isUnlimited ? null : formatMoney(account.available),
    reserved: formatMoney(reservedOf(account)),
    spent: formatMoney(account.spent),
    entries: entries.map(({ recordId, type, mediaId, amount, bookedAt }) => ({
      download_id: recordId,
      type,
      media_id: mediaId,
      amount: formatMoney(amount),
      booked_at: bookedAt,
    })),
    next_cursor: isLast ? null : entries.at(-1)?.recordId,
  };
  return accountSchema.parse(body);
}
