import { z } from 'zod';
import { moneySchema } from './fields.ts';

/** Query of GET /api/resolve. */
export const resolveQuerySchema = z.object({
  url: z
    .string()
    .min(1)
    .max(2048)
    .describe('A URL, handle, name or id of either platform, or the URL of a page of any other site')
    .meta({ examples: ['https://www.youtube.com/@evening-talks'] }),
});
export type ResolveQuery = z.infer<typeof resolveQuerySchema>;

/** A job that can be requested for a resolved subject. */
export const offerSchema = z
  .object({
    operation: z.string().describe('`operationId` of the request'),
    path: z.string(),
    body: z.record(z.string(), z.union([z.string(), z.boolean()])).describe('Of the request, as far as it is known'),
    needs: z.array(z.string()).describe('Fields of the body that the caller adds'),
    after: z.string().nullable().describe('The operation that comes first; its result tells what `needs` names'),
    price: moneySchema,
    per: z
      .enum(['job', 'minute', 'post'])
      .describe('What the price is of: the job, each started minute of audio, each of the posts of an account'),
  })
  .meta({ id: 'Offer' });
export type Offer = z.infer<typeof offerSchema>;

/** One interpretation of a text. */
export const subjectSchema = z
  .object({
    kind: z.enum(['video', 'channel', 'profile', 'post', 'reel', 'page']),
    id: z
      .string()
      .describe('What the platform calls it: an id, a place of a channel, a name, a shortcode; the URL of a page'),
    url: z.url().describe('Its page'),
    offers: z.array(offerSchema).describe('Empty where the service cannot have it'),
    note: z.string().nullable().describe('Why there are no offers'),
  })
  .meta({ id: 'Subject' });
export type Subject = z.infer<typeof subjectSchema>;

/** Answer of GET /api/resolve, an addition to the specification. */
export const resolvedSchema = z
  .object({ subjects: z.array(subjectSchema).describe('The likeliest first; empty for what means nothing here') })
  .meta({ id: 'Resolved' });
export type Resolved = z.infer<typeof resolvedSchema>;
