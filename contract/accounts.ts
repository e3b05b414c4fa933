import { z } from 'zod';
import type { Thousandths } from './money.ts';

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
  readonly holds: readonly (Hold & { readonly heldAtMs: number })[];
}

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
