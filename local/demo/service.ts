import { z } from 'zod';
import { audioRecordSchema } from '../../contract/kinds/audio.ts';
import { speakerLabelsResultSchema, type SpeakerLabelsResult } from '../../contract/kinds/speaker-labels.ts';
import { webhookTestResultSchema, type WebhookTestResult } from '../../contract/deliveries.ts';

const REQUEST_TIMEOUT_MS = 30_000;

/** The answer of an audio job, and the body of its webhook. */
export const audioResultSchema = z.object({ data: audioRecordSchema });
export type AudioResult = z.infer<typeof audioResultSchema>;

export interface Answered<Body> {
  readonly status: number;
  readonly body: Body;
}

/** The service as its callers see it: REST and nothing else. */
export interface Service {
  testWebhook(url: string): Promise<Answered<WebhookTestResult>>;
  requestAudio(videoId: string, webhookUrl: string): Promise<Answered<AudioResult>>;
  getDownload(id: string): Promise<Answered<AudioResult>>;
  requestSpeakerLabels(audioId: string): Promise<Answered<SpeakerLabelsResult>>;
  getSpeakerLabels(id: string): Promise<Answered<SpeakerLabelsResult>>;
  /** The text of the file. */
  exportSpeakerLabels(id: string, format: 'vtt'): Promise<string>;
}

/** @param signal ends every request */
export function createService(restUrl: string, signal: AbortSignal): Service {
  const textOf = async (path: string, body?: unknown): Promise<{ status: number; text: string; told: string }> => {
    const method = body === undefined ? 'GET' : 'POST';
    const response = await fetch(restUrl + path, {
      method,
      signal: AbortSignal.any([signal, AbortSignal.timeout(REQUEST_TIMEOUT_MS)]),
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    const told = `${method} ${path} answered ${String(response.status)}: ${text.slice(0, 500)}`;
    if (!response.ok) throw new Error(told);
    return { status: response.status, text, told };
  };
  const call = async <Body>(path: string, schema: z.ZodType<Body>, body?: unknown): Promise<Answered<Body>> => {
    const { status, text, told } = await textOf(path, body);
    const parsed = schema.safeParse(JSON.parse(text));
    if (!parsed.success) throw new Error(`${told}\nThis is not what the contract promises.`, { cause: parsed.error });
    return { status, body: parsed.data };
  };
  return {
    testWebhook: (url) => call('/api/webhook/test', webhookTestResultSchema, { url }),
    requestAudio: (videoId, webhookUrl) =>
      call('/api/downloads/audio', audioResultSchema, { vidnet_video_id: videoId, include_webhook: webhookUrl }),
    getDownload: (id) => call(`/downloads/${id}`, audioResultSchema),
    requestSpeakerLabels: (audioId) =>
      call('/api/transcriptspeakerid', speakerLabelsResultSchema, { transcript_with_speaker_id: audioId }),
    getSpeakerLabels: (id) => call(`/api/transcriptspeakerid/${id}`, speakerLabelsResultSchema),
    exportSpeakerLabels: async (id, format) => (await textOf(`/api/transcriptspeakerid/${id}.${format}`)).text,
  };
}
