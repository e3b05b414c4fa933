import { z } from 'zod';
import { ulidSchema } from '../ids.ts';
import type { JobInput } from '../job-input.ts';
import { daySchema, storedCountSchema } from '../job-schema.ts';
import { samplePost, sampleReel, wholeItems } from './imgnet-media.ts';
import { SAMPLE, sampleRecordId, type KindSample } from './sample.ts';

export const listParametersSchema = z.object({
  part: z.enum(['posts', 'reels']),
  /** The first day, `YYYY-MM-DD` in UTC, because providers accept only days; absent for all items. */
  sinceDate: daySchema.exactOptional(),
  /** The first moment of that day to include, in ISO 8601 UTC. */
  since: z.iso.datetime().exactOptional(),
  /** The number of posts in the profile, including reels, if known. */
  postsCount: storedCountSchema.exactOptional(),
  /** The record of the other part, as planned when this part was accepted. */
  otherId: ulidSchema.exactOptional(),
});
export type ListParameters = Readonly<z.infer<typeof listParametersSchema>>;
export type ListPartName = 'posts' | 'reels';
export type ListJob = JobInput & { readonly parameters: ListParameters };

export function imgnetListSample(only: ListPartName): KindSample {
  return {
    mediaId: SAMPLE.account,
    failure: ['removed', 'There is no account of this name.'],
    progress: { stage: 'listing', items: 1 },
    parameters: { part: only, otherId: sampleRecordId(only === 'posts' ? 'E' : 'D') },
    lists: { [only]: [only === 'posts' ? wholeItems.posts(samplePost) : wholeItems.reels(sampleReel)] },
  };
}
