import { z } from 'zod';

/** Answer of POST /api/webhook/test. */
export const webhookTestResultSchema = z
  .object({
    status: z.enum(['success', 'error']),
    message: z.string(),
    http_status: z.number().int().describe('The status code that the URL returned; 0 when there was no answer'),
  })
  .meta({ id: 'WebhookTestResult' });
export type WebhookTestResult = z.infer<typeof webhookTestResultSchema>;
