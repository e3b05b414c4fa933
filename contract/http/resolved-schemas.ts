import { z } from 'zod';
import { moneySchema } from './fields.ts';

export const resolveQuerySchema = z.object({
  url: z
    .string()
    .min(1)
    .max(2048)
    .describe('A URL, handle, name or id of either platform, or the URL of a page of any other site')
    .meta({ examples: ['https://www.youtube.com/@evening-talks'] }),
});
export type ResolveQuery = z.infer<typeof resolveQuerySchema>;

const offerSchema = z
  .object({
    operation: z.string().describe('`operationId` of the request'),
    path: z.string(),
    body: z
      .record(z.string(), z.union([z.string(), z.boolean(), z.record(z.string(), z.string())]))
      .describe('The known fields of the request'),
    needs: z.array(z.string()).describe('The fields that the caller must add'),
    after: z
      .string()
      .nullable()
      .describe('The operation that comes first, because its result contains the fields in `needs`'),
    price: moneySchema,
    base: moneySchema
      .optional()
      .describe(
        'This price is added once: that of the audio of a transcript unless it is kept, or the least one of the list of a profile',
      ),
    seconds_per_minute: z
      .number()
      .min(0)
      .optional()
      .describe(
        'How long the transcription of a minute of audio takes here, as measured lately; absent if it is not known',
      ),
    per: z
      .enum(['job', 'minute', 'post', 'entry'])
      .describe(
        'The unit of the price: the job, each started minute of audio, each post of an account, or each entry of a list',
      ),
  })
  .meta({ id: 'Offer' });
export type Offer = z.infer<typeof offerSchema>;

const subjectSchema = z
  .object({
    kind: z.enum(['video', 'channel', 'playlist', 'profile', 'post', 'reel', 'page']),
    id: z
      .string()
      .describe(
        'The ID of a video or playlist, the path of a channel, the name of an account, a shortcode, or the URL of a page',
      ),
    url: z.url().describe('The URL of its page'),
    offers: z.array(offerSchema).describe('Empty if the service cannot fetch it'),
    note: z.string().nullable().describe('The reason why there are no offers, or no others'),
  })
  .meta({ id: 'Subject' });
export type Subject = z.infer<typeof subjectSchema>;

/** Answer of GET /api/resolve, an addition to the specification. */
export const resolvedSchema = z
  .object({
    subjects: z.array(subjectSchema).describe('The most likely one first; empty if the text refers to nothing'),
  })
  .meta({ id: 'Resolved' });
export type Resolved = z.infer<typeof resolvedSchema>;
