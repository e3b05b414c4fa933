import { z } from 'zod';
import type { BatchItemRequest } from '../batches/batch-request.ts';
import { vidnetDownloadRequestSchema } from '../http/download-schemas.ts';
import { mediaRequestSchema } from '../kinds/media.ts';
import { captionsRequestShape } from '../kinds/transcript-request.ts';
import type { ListEntry } from './list-entry.ts';

function eachSchemaOf<const Operation extends string, Shape extends z.ZodRawShape>(
  operation: Operation,
  { shape }: z.ZodObject<Shape>,
) {
  return z.object({ operation: z.literal(operation), ...shape });
}
const OF_ENTRY = { vidnet_video_id: true, include_webhook: true } as const;

/** What is requested of every entry: the body of the single request without its subject. */
export const eachEntrySchema = z
  .discriminatedUnion('operation', [
    eachSchemaOf('requestAudio', vidnetDownloadRequestSchema.omit(OF_ENTRY)),
    eachSchemaOf('requestVideo', vidnetDownloadRequestSchema.omit(OF_ENTRY)),
    eachSchemaOf('requestMedia', mediaRequestSchema.omit({ url: true, include_webhook: true })),
    eachSchemaOf('requestTranscript', z.object(captionsRequestShape).omit(OF_ENTRY)),
  ])
  .meta({
    id: 'EachEntry',
    description:
      'The `operationId` of a single request and its options, for every entry. Lists of other sites have `requestMedia` only',
  });
export type EachEntry = z.infer<typeof eachEntrySchema>;

/** @returns the single request for an entry */
export function requestFor(each: EachEntry, { id, url }: Pick<ListEntry, 'id' | 'url'>): BatchItemRequest {
  const common = { include_webhook: undefined };
  return each.operation === 'requestMedia' ? { ...each, ...common, url } : { ...each, ...common, vidnet_video_id: id };
}
