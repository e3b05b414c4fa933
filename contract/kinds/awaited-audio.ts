import { z } from 'zod';
import type { DownloadRecord } from '../download-record.ts';
import { vidnetVideoIdSchema } from '../ids.ts';
import { thousandthsSchema, workflowIdSchema } from '../job-schema.ts';

/** The audio that was being downloaded when its speaker labels were requested. */
export const awaitedAudioSchema = z.object({
  subjectId: workflowIdSchema,
  /** Set if the request for the labels started its job; then the price of that. */
  price: thousandthsSchema.optional(),
  source: z
    .object({ url: z.string().max(2048).optional(), vidnet_video_id: vidnetVideoIdSchema.optional() })
    .optional(),
});
export type AwaitedPart = z.infer<typeof awaitedAudioSchema>;

/** @returns the audio for which a job of speaker labels was started to wait */
export function awaitedBy({ parameters }: Pick<DownloadRecord, 'parameters'>): AwaitedPart | undefined {
  return (parameters as { readonly awaits?: AwaitedPart } | undefined)?.awaits;
}
