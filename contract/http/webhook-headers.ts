export const WEBHOOK_USER_AGENT = 'Service-Webhook/1.0';

export function webhookHeaders(delivery: {
  readonly endpoint: string;
  readonly originalStatus: number;
  readonly downloadId: string;
}): Record<string, string> {
  return {
    'Content-Type': 'application/json',
    'User-Agent': WEBHOOK_USER_AGENT,
    'X-Webhook-Endpoint': delivery.endpoint,
    'X-Webhook-Original-Status': String(delivery.originalStatus),
    'X-Webhook-Download-Id': delivery.downloadId,
  };
}
