import { z } from 'zod';
import { vidnetVideoIdSchema } from './ids.ts';
import { WEBHOOK_URL_MAX_CHARS } from './limits.ts';

const webhookUrlSchema = z
  .string()
  .max(WEBHOOK_URL_MAX_CHARS)
  .meta({ description: 'Publicly reachable http(s) URL', examples: ['https://example.com/hooks/media'] });

/** Body of POST /api/downloads/audio and …/video (specification, section 4.2). Unknown fields are ignored. */
export const vidnetDownloadRequestSchema = z
  .object({
    vidnet_video_id: vidnetVideoIdSchema,
    include_webhook: webhookUrlSchema.optional().describe('Where the result is POSTed when the job ends'),
  })
  .meta({ id: 'VidnetDownloadRequest' });
export type VidnetDownloadRequest = z.infer<typeof vidnetDownloadRequestSchema>;

/** Body of POST /api/webhook/test (specification, section 4.3). */
export const webhookTestRequestSchema = z
  .object({ url: webhookUrlSchema.describe('The webhook URL to test') })
  .meta({ id: 'WebhookTestRequest' });
export type WebhookTestRequest = z.infer<typeof webhookTestRequestSchema>;
