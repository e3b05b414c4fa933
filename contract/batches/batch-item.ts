import { z } from 'zod';
import { vidnetItemSchema } from '../http/download-schemas.ts';
import { channelRequestSchema } from '../kinds/channel.ts';
import { imgnetPostRequestSchema } from '../kinds/imgnet-content.ts';
import { imgnetProfileRequestSchema } from '../kinds/imgnet-profile.ts';
import { mediaRequestSchema } from '../kinds/media.ts';
import { captionsRequestShape } from '../kinds/transcript-request.ts';

/** The schema of a single request with the name of its operation. */
export function itemSchemaOf<const Operation extends string, Shape extends z.ZodRawShape>(
  operation: Operation,
  { shape }: z.ZodObject<Shape>,
) {
  return z.object({ operation: z.literal(operation), ...shape });
}

/** The request of an item: the body of the single request, and the name of its operation. */
export const batchItemSchema = z
  .discriminatedUnion('operation', [
    itemSchemaOf('requestAudio', vidnetItemSchema),
    itemSchemaOf('requestVideo', vidnetItemSchema),
    itemSchemaOf('requestMedia', mediaRequestSchema),
    itemSchemaOf('requestTranscript', z.object(captionsRequestShape)),
    itemSchemaOf('requestChannel', channelRequestSchema),
    itemSchemaOf('requestImgnetProfile', imgnetProfileRequestSchema),
    itemSchemaOf('requestImgnetContent', imgnetPostRequestSchema),
    itemSchemaOf('requestImgnetAudio', imgnetPostRequestSchema),
  ])
  .meta({
    id: 'BatchItemRequest',
    description: 'The body of a single request, and in `operation` the `operationId` of that request',
  });
export type BatchItemRequest = z.infer<typeof batchItemSchema>;
