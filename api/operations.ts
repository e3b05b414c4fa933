import { z } from 'zod';
import type { ErrorCode } from '../contract/errors.ts';
import { ulidSchema } from '../contract/ids.ts';
import { vidnetDownloadRequestSchema, webhookTestRequestSchema } from '../contract/requests.ts';
import {
  audioResultSchema,
  downloadResultSchema,
  healthSchema,
  videoResultSchema,
  webhookTestResultSchema,
} from '../contract/results.ts';

/** One REST operation as callers see it. The routes and the OpenAPI document are both made from this table. */
export interface Operation {
  readonly method: 'get' | 'post';
  /** With parameters in braces, as OpenAPI writes them. */
  readonly path: string;
  readonly summary: string;
  readonly body?: z.ZodType;
  readonly params?: z.ZodObject;
  /** Whether `Prefer: wait=N` is honoured. */
  readonly waits?: boolean;
  readonly answers: Readonly<Record<number, { readonly description: string; readonly schema: z.ZodType }>>;
  readonly errors: readonly ErrorCode[];
}

const ALWAYS = ['method_not_allowed', 'rate_limited', 'internal', 'unavailable'] as const;
const WITH_BODY = ['invalid_input', 'invalid_json', 'body_too_large', ...ALWAYS] as const;

export const operations = {
  requestAudio: {
    method: 'post',
    path: '/api/downloads/audio',
    summary: 'Fetch the audio of a video as M4A',
    body: vidnetDownloadRequestSchema,
    waits: true,
    answers: {
      200: { description: 'The audio was fetched before; nothing is charged', schema: audioResultSchema },
      202: { description: 'A job was started', schema: audioResultSchema },
    },
    errors: [...WITH_BODY, 'webhook_target_forbidden', 'pending_duplicate'],
  },
  requestVideo: {
    method: 'post',
    path: '/api/downloads/video',
    summary: 'Fetch a video as MP4',
    body: vidnetDownloadRequestSchema,
    waits: true,
    answers: {
      200: { description: 'The video was fetched before; nothing is charged', schema: videoResultSchema },
      202: { description: 'A job was started', schema: videoResultSchema },
    },
    errors: [...WITH_BODY, 'webhook_target_forbidden', 'pending_duplicate'],
  },
  getDownload: {
    method: 'get',
    path: '/downloads/{downloadId}',
    summary: 'Get a download, with a fresh link',
    params: z.object({ downloadId: ulidSchema }),
    waits: true,
    answers: {
      200: { description: 'The download has ended, well or not', schema: downloadResultSchema },
      202: { description: 'The job has not ended', schema: downloadResultSchema },
    },
    errors: ['invalid_input', 'not_found', ...ALWAYS],
  },
  testWebhook: {
    method: 'post',
    path: '/api/webhook/test',
    summary: 'Check that a webhook URL can be reached',
    body: webhookTestRequestSchema,
    answers: { 200: { description: 'How the URL answered', schema: webhookTestResultSchema } },
    errors: [...WITH_BODY, 'webhook_target_forbidden'],
  },
  checkHealth: {
    method: 'get',
    path: '/health',
    summary: 'Whether the service can work',
    answers: {
      200: { description: 'All engines answer', schema: healthSchema },
      503: { description: 'An engine is away', schema: healthSchema },
    },
    errors: ['method_not_allowed'],
  },
} as const satisfies Record<string, Operation>;
