import { z } from 'zod';
import { ulidSchema } from '../ids.ts';
import { timestampSchema } from './fields.ts';

/** How the last job of the same subject ended, if it failed within the last 30 minutes (specification, section 7). */
export const lastResponseSchema = z
  .object({
    download_id: ulidSchema,
    status: z.literal('failed'),
    response: z.string().describe('What went wrong'),
    created_at: timestampSchema,
  })
  .meta({ id: 'LastResponse' });
export type LastResponse = z.infer<typeof lastResponseSchema>;
