import { z } from 'zod';
import { itemSchemaOf, type BatchItemRequest } from '../batches/batch-item.ts';
import { vidnetItemSchema } from '../http/download-schemas.ts';
import { mediaRequestSchema } from '../kinds/media.ts';
import { captionsRequestShape } from '../kinds/transcript-request.ts';
import type { ListEntry } from './list-entry.ts';

const ENTRY_FIELDS = { vidnet_video_id: true, include_webhook: true } as const;

/** What is requested of every entry: the body of the single request without its subject. */
export const eachEntrySchema = z
  .discriminatedUnion('operation', [
    itemSchemaOf('requestAudio', vidnetItemSchema.omit(ENTRY_FIELDS)),
    itemSchemaOf('requestVideo', vidnetItemSchema.omit(ENTRY_FIELDS)),
    itemSchemaOf('requestMedia', mediaRequestSchema.omit({ url: true, include_webhook: true })),
    itemSchemaOf('requestTranscript', z.object(captionsRequestShape).omit(ENTRY_FIELDS)),
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
