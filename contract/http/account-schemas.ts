import { z } from 'zod';
import { moneySchema, nextCursor, timestampSchema } from './fields.ts';
import { ulidSchema } from '../ids.ts';
import { formatMoney, type Thousandths } from '../money.ts';
import { recordTypeSchema } from '../download-record.ts';

/** The scopes of an API key: `read` records, start and cancel `jobs`, test and redeliver `webhooks`. */
export const scopes = ['read', 'jobs', 'webhooks'] as const;
export const scopeSchema = z.enum(scopes);
export type Scope = z.infer<typeof scopeSchema>;

export interface ApiKey {
  /** 16 hexadecimal digits. */
  readonly id: string;
  readonly name: string;
  readonly scopes: readonly Scope[];
  /** ISO 8601 UTC with microseconds. */
  readonly createdAt: string;
  /** ISO 8601 UTC with microseconds; absent while the key is valid. */
  readonly revokedAt?: string;
}

/** The sender of a request. Only keys have an account. */
export type Caller =
  /** `limitedAs` identifies the callers that share its limits, such as an address. */
  | { readonly kind: 'anonymous'; readonly limitedAs?: string }
  | { readonly kind: 'service' }
  | { readonly kind: 'key'; readonly key: Omit<ApiKey, 'revokedAt'> };

export interface CreditReservation {
  readonly recordId: string;
  readonly subjectId: string;
  readonly amount: Thousandths;
}

/** The credit of a key: `granted` is the sum of the available, reserved and spent credit. */
export interface Account {
  readonly keyId: string;
  /** The jobs of an unlimited key are charged but never refused. */
  readonly isUnlimited: boolean;
  readonly granted: Thousandths;
  readonly available: Thousandths;
  readonly spent: Thousandths;
}
export const reservedOf = ({ granted, available, spent }: Account): Thousandths => granted - available - spent;

/** The charge of a download, booked once. */
export interface LedgerEntry {
  readonly recordId: string;
  readonly keyId: string;
  readonly type: string;
  readonly mediaId: string;
  readonly amount: Thousandths;
  /** The time at which the download ended: ISO 8601 UTC with microseconds. */
  readonly bookedAt: string;
}

/** Answer of GET /api/account, an addition to the specification. */
export const accountSchema = z
  .object({
    key: z.object({
      id: z.string().describe('Not secret'),
      name: z.string(),
      scopes: z.array(scopeSchema),
      created_at: timestampSchema,
    }),
    credit: moneySchema.nullable().describe('Available for new jobs; null when the key is unlimited'),
    reserved: moneySchema.describe('Reserved for jobs that have not ended'),
    spent: moneySchema.describe('The charges of all downloads of the key'),
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
      .describe('The charge of each download, newest first; free downloads are omitted'),
    ...nextCursor,
  })
  .meta({ id: 'Account' });
export type AccountResult = z.infer<typeof accountSchema>;

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
