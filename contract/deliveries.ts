import { z } from 'zod';
import { deliveryIdOf } from './webhooks.ts';

/**
 * A delivery as callers and receivers know it: the download, and the number of the subscriber. It goes into URLs, and a
 * `webhook-id` must not hold a dot (Standard Webhooks), so it is not the ID of the workflow, which has slashes.
 */
export const webhookIdSchema = z
  .string()
  .regex(/^[0-7][0-9A-HJKMNP-TV-Z]{25}-[1-9]\d{0,5}$/, 'must be a download id, a hyphen and a number')
  .meta({ id: 'WebhookId', description: 'Id of a delivery', examples: ['01JD5Z3K6VQ0W8R9T2X4Y6B8CD-1'] });

/** @param deliveryId `webhook/DOWNLOAD-ID/NUMBER`, as the store and the workflow have it */
export function webhookIdOf(deliveryId: string): string {
  const [, recordId = '', number = ''] = deliveryId.split('/');
  return `${recordId}-${number}`;
}

/** The reverse of {@link webhookIdOf}, for what {@link webhookIdSchema} has let through. */
export function deliveryIdFrom(webhookId: string): string {
  const [recordId = '', number] = webhookId.split('-');
  return deliveryIdOf(recordId, Number(number));
}
