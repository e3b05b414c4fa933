import type { z } from 'zod';
import {
  downloadResultSchema,
  webhookTestResultSchema,
  type DownloadResult,
  type WebhookTestResult,
} from '../contract/results.ts';

const REQUEST_TIMEOUT_MS = 30_000;

export interface Answered<Body> {
  readonly status: number;
  readonly body: Body;
}

/** The service as its callers see it: REST and nothing else. */
export interface Service {
  testWebhook(url: string): Promise<Answered<WebhookTestResult>>;
  requestAudio(videoId: string, webhookUrl: string): Promise<Answered<DownloadResult>>;
  getDownload(id: string): Promise<Answered<DownloadResult>>;
}

/** @param signal ends every request */
export function createService(restUrl: string, signal: AbortSignal): Service {
  const call = async <Body>(path: string, schema: z.ZodType<Body>, body?: unknown): Promise<Answered<Body>> => {
    const method = body === undefined ? 'GET' : 'POST';
    const response = await fetch(restUrl + path, {
      method,
      signal: AbortSignal.any([signal, AbortSignal.timeout(REQUEST_TIMEOUT_MS)]),
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    const told = `${method} ${path} answered ${String(response.status)}: ${text.slice(0, 500)}`;
    if (!response.ok) throw new Error(told);
    const parsed = schema.safeParse(JSON.parse(text));
    if (!parsed.success) throw new Error(`${told}\nThis is not what the contract promises.`, { cause: parsed.error });
    return { status: response.status, body: parsed.data };
  };
  return {
    testWebhook: (url) => call('/api/webhook/test', webhookTestResultSchema, { url }),
    requestAudio: (videoId, webhookUrl) =>
      call('/api/downloads/audio', downloadResultSchema, { vidnet_video_id: videoId, include_webhook: webhookUrl }),
    getDownload: (id) => call(`/downloads/${id}`, downloadResultSchema),
  };
}
