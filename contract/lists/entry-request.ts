import { z } from 'zod';
import { itemSchemaOf, type BatchItemRequest } from '../batches/batch-item.ts';
import { vidnetItemSchema } from '../http/download-schemas.ts';
import { imgnetPostRequestSchema } from '../kinds/imgnet-content.ts';
import { mediaRequestSchema } from '../kinds/media.ts';
import { captionsRequestShape } from '../kinds/transcript-request.ts';
import type { ListEntry } from './list-entry.ts';

const ENTRY_FIELDS = { vidnet_video_id: true, include_webhook: true } as const;
const PAGE_FIELDS = { url: true, include_webhook: true } as const;

/** What is requested of every entry: the body of the single request without its subject. */
export const eachEntrySchema = z
  .discriminatedUnion('operation', [
    itemSchemaOf('requestAudio', vidnetItemSchema.omit(ENTRY_FIELDS)),
    itemSchemaOf('requestVideo', vidnetItemSchema.omit(ENTRY_FIELDS)),
    itemSchemaOf('requestMedia', mediaRequestSchema.omit(PAGE_FIELDS)),
    itemSchemaOf('requestTranscript', z.object(captionsRequestShape).omit(ENTRY_FIELDS)),
    itemSchemaOf('requestImgnetContent', imgnetPostRequestSchema.omit(PAGE_FIELDS)),
    itemSchemaOf('requestImgnetAudio', imgnetPostRequestSchema.omit(PAGE_FIELDS)),
  ])
  .meta({
    id: 'EachEntry',
    description:
      'The `operationId` of a single request and its options, for every entry. Lists of other sites have `requestMedia` only, profiles that and the operations of posts',
  });
export type EachEntry = z.infer<typeof eachEntrySchema>;

/** @returns the single request for an entry */
export function requestFor(each: EachEntry, { id, url }: Pick<ListEntry, 'id' | 'url'>): BatchItemRequest {
  const { operation } = each;
  const common = { include_webhook: undefined };
  return operation === 'requestAudio' || operation === 'requestVideo' || operation === 'requestTranscript'
    ? { ...each, ...common, vidnet_video_id: id }
    : { ...each, ...common, url };
}
