import { z } from 'zod';
import { scopeSchema } from '../accounts.ts';
import { ulidSchema } from '../ids.ts';
import { recordTypeSchema } from '../records.ts';
import { moneySchema, timestampSchema } from './fields.ts';

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
