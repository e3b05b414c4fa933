import { z } from 'zod';
import type { Scope } from '../contract/accounts.ts';
import type { ErrorCode } from '../contract/errors.ts';
import { ulidSchema } from '../contract/ids.ts';
import { DEFAULT_WAIT_SECONDS } from '../contract/limits.ts';
import {
  accountQuerySchema,
  channelRequestSchema,
  downloadListQuerySchema,
  imgnetListRequestSchema,
  imgnetPostRequestSchema,
  imgnetProfileRequestSchema,
  transcriptRequestSchema,
  vidnetDownloadRequestSchema,
  webhookTestRequestSchema,
} from '../contract/requests.ts';
import { accountSchema } from '../contract/results/account.ts';
import { channelProfileSchema } from '../contract/results/channels.ts';
import {
  audioResultSchema,
  downloadListSchema,
  downloadResultSchema,
  imgnetAudioResultSchema,
  videoResultSchema,
} from '../contract/results/downloads.ts';
import { healthSchema, liveSchema } from '../contract/results/health.ts';
import { imgnetContentPendingSchema, imgnetPostSchema, imgnetReelSchema } from '../contract/results/imgnet-content.ts';
import { imgnetListFailedSchema, imgnetListPendingSchema, imgnetListSchema } from '../contract/results/imgnet-list.ts';
import { imgnetProfilePendingSchema, imgnetProfileSchema } from '../contract/results/imgnet-profile.ts';
import { failedResultSchema, vidnetFailedResultSchema, vidnetPendingResultSchema } from '../contract/results/jobs.ts';
import { transcriptSchema } from '../contract/results/transcripts.ts';
import { webhookTestResultSchema } from '../contract/results/webhook-test.ts';
import { transcriptFormatSchema } from '../contract/transcript-formats.ts';

interface OperationAnswer {
  readonly description: string;
  /** Of a JSON answer; a text otherwise. */
  readonly schema?: z.ZodType;
  /** Default: application/json. */
  readonly contentTypes?: readonly string[];
}

/** One REST operation as callers see it. The routes and the OpenAPI document are both made from this table. */
export interface Operation {
  readonly method: 'get' | 'post' | 'delete';
  /** With parameters in braces, as OpenAPI writes them. */
  readonly path: string;
  readonly summary: string;
  readonly body?: z.ZodType;
  readonly params?: z.ZodObject;
  readonly query?: z.ZodObject;
  /** How long it waits for the result unless `Prefer: wait=N` says otherwise; absent where that is not honoured. */
  readonly waitSeconds?: number;
  readonly answers: Readonly<Record<number, OperationAnswer>>;
  /** What an API key must be allowed to do; `none`: open to everyone. By default `read` for GET, else `jobs`. */
  readonly scope?: Scope | 'none';
  readonly errors: readonly ErrorCode[];
}

const ALWAYS = ['unauthorized', 'forbidden', 'method_not_allowed', 'rate_limited', 'internal', 'unavailable'] as const;
const WITH_BODY = ['invalid_input', 'invalid_json', 'body_too_large', ...ALWAYS] as const;
const STARTS_JOB = [...WITH_BODY, 'webhook_target_forbidden', 'insufficient_credit'] as const;
const downloadIdParams = z.object({ downloadId: ulidSchema });

export const operations = {
  requestAudio: {
    method: 'post',
    path: '/api/downloads/audio',
    summary: 'Fetch the audio of a video as M4A',
    body: vidnetDownloadRequestSchema,
    waitSeconds: 0,
    answers: {
      200: { description: 'The audio was fetched before; nothing is charged', schema: audioResultSchema },
      202: { description: 'A job was started', schema: audioResultSchema },
    },
    errors: [...STARTS_JOB, 'pending_duplicate'],
  },
  requestVideo: {
    method: 'post',
    path: '/api/downloads/video',
    summary: 'Fetch a video as MP4',
    body: vidnetDownloadRequestSchema,
    waitSeconds: 0,
    answers: {
      200: { description: 'The video was fetched before; nothing is charged', schema: videoResultSchema },
      202: { description: 'A job was started', schema: videoResultSchema },
    },
    errors: [...STARTS_JOB, 'pending_duplicate'],
  },
  listDownloads: {
    method: 'get',
    path: '/api/downloads',
    summary: 'List downloads, newest first',
    query: downloadListQuerySchema,
    answers: { 200: { description: 'A page of download records', schema: downloadListSchema } },
    errors: ['invalid_input', ...ALWAYS],
  },
  getDownload: {
    method: 'get',
    path: '/downloads/{downloadId}',
    summary: 'Get a download, with a fresh link',
    params: downloadIdParams,
    waitSeconds: 0,
    answers: {
      200: { description: 'The download has ended, well or not', schema: downloadResultSchema },
      202: { description: 'The job has not ended', schema: downloadResultSchema },
    },
    errors: ['not_found', ...ALWAYS],
  },
  cancelDownload: {
    method: 'delete',
    path: '/downloads/{downloadId}',
    summary: 'Cancel a pending download',
    params: downloadIdParams,
    answers: {
      200: { description: 'The job has ended, as failed', schema: downloadResultSchema },
      202: { description: 'The job was told to stop', schema: downloadResultSchema },
    },
    errors: ['not_found', 'already_finished', ...ALWAYS],
  },
  requestChannel: {
    method: 'post',
    path: '/api/channel/profile',
    summary: 'Get the profile of a channel with the list of its videos',
    body: channelRequestSchema,
    waitSeconds: DEFAULT_WAIT_SECONDS,
    answers: {
      200: { description: 'The profile, or why it could not be had', schema: ended(channelProfileSchema) },
      202: { description: 'The job has not ended', schema: vidnetPendingResultSchema },
    },
    errors: STARTS_JOB,
  },
  requestTranscript: {
    method: 'post',
    path: '/api/transcripts',
    summary: 'Get the captions of a video in a language',
    body: transcriptRequestSchema,
    waitSeconds: DEFAULT_WAIT_SECONDS,
    answers: {
      200: { description: 'The transcript, or why it could not be had', schema: ended(transcriptSchema) },
      202: { description: 'The job has not ended', schema: vidnetPendingResultSchema },
    },
    errors: STARTS_JOB,
  },
  getTranscript: {
    method: 'get',
    path: '/api/transcripts/{downloadId}',
    summary: 'Get a transcript again; starts nothing and costs nothing',
    params: downloadIdParams,
    waitSeconds: 0,
    answers: {
      200: { description: 'The transcript, or why it could not be had', schema: ended(transcriptSchema) },
      202: { description: 'The job has not ended', schema: vidnetPendingResultSchema },
    },
    errors: ['not_found', ...ALWAYS],
  },
  exportTranscript: {
    method: 'get',
    path: '/api/transcripts/{downloadId}.{format}',
    summary: 'Get a transcript as subtitles or plain text',
    params: downloadIdParams.extend({ format: transcriptFormatSchema }),
    answers: {
      200: {
        description: 'The file',
        contentTypes: ['application/x-subrip', 'text/vtt', 'text/plain'],
      },
    },
    errors: ['not_found', 'not_ready', ...ALWAYS],
  },
  requestImgnetProfile: {
    method: 'post',
    path: '/api/imgnet/profile',
    summary: 'Get the profile of an account of the photo platform',
    body: imgnetProfileRequestSchema,
    waitSeconds: 0,
    answers: {
      200: { description: 'The profile, or why it could not be had', schema: ended(imgnetProfileSchema) },
      202: { description: 'The job has not ended', schema: imgnetProfilePendingSchema },
    },
    errors: STARTS_JOB,
  },
  requestImgnetList: {
    method: 'post',
    path: '/api/imgnet/list',
    summary: 'Get the posts and reels of an account of the photo platform',
    body: imgnetListRequestSchema,
    waitSeconds: 0,
    answers: {
      200: {
        description: 'The list, or the part of it that could be had, or why there is none',
        schema: z.union([imgnetListSchema, imgnetListFailedSchema]),
      },
      202: { description: 'A part of it has not ended', schema: imgnetListPendingSchema },
    },
    errors: [...STARTS_JOB, 'not_found', 'not_ready', 'list_id_expired'],
  },
  requestImgnetContent: {
    method: 'post',
    path: '/api/imgnet/content',
    summary: 'Get the metadata of a post or reel of the photo platform',
    body: imgnetPostRequestSchema,
    waitSeconds: 0,
    answers: {
      200: {
        description: 'The post or reel, or why it could not be had',
        schema: z.union([imgnetPostSchema, imgnetReelSchema, failedResultSchema]),
      },
      202: { description: 'The job has not ended', schema: imgnetContentPendingSchema },
    },
    errors: STARTS_JOB,
  },
  requestImgnetAudio: {
    method: 'post',
    path: '/api/imgnet/audio',
    summary: 'Fetch the audio of a post or reel of the photo platform as M4A',
    body: imgnetPostRequestSchema,
    waitSeconds: 0,
    answers: {
      200: {
        description: 'The audio, or that there is none, or why it could not be had',
        schema: imgnetAudioResultSchema,
      },
      202: { description: 'The job has not ended', schema: imgnetAudioResultSchema },
    },
    errors: STARTS_JOB,
  },
  getAccount: {
    method: 'get',
    path: '/api/account',
    summary: 'Get the credit of an API key, and what its downloads have cost',
    query: accountQuerySchema,
    answers: { 200: { description: 'The account, with a page of its entries', schema: accountSchema } },
    errors: ['invalid_input', ...ALWAYS],
  },
  testWebhook: {
    method: 'post',
    scope: 'webhooks',
    path: '/api/webhook/test',
    summary: 'Check that a webhook URL can be reached',
    body: webhookTestRequestSchema,
    answers: { 200: { description: 'How the URL answered', schema: webhookTestResultSchema } },
    errors: [...WITH_BODY, 'webhook_target_forbidden'],
  },
  checkLive: {
    method: 'get',
    scope: 'none',
    path: '/live',
    summary: 'Whether the process runs; it asks no engine',
    answers: { 200: { description: 'It runs', schema: liveSchema } },
    errors: ['method_not_allowed'],
  },
  checkReady: {
    method: 'get',
    scope: 'none',
    path: '/ready',
    summary: 'Whether requests should be sent here',
    answers: {
      200: { description: 'All engines answer', schema: healthSchema },
      503: { description: 'An engine is away, or the process is about to stop', schema: healthSchema },
    },
    errors: ['method_not_allowed'],
  },
  checkHealth: {
    method: 'get',
    scope: 'none',
    path: '/health',
    summary: 'Whether the service can work',
    answers: {
      200: { description: 'All engines answer', schema: healthSchema },
      503: { description: 'An engine is away', schema: healthSchema },
    },
    errors: ['method_not_allowed'],
  },
} as const satisfies Record<string, Operation>;

export function scopeOf({ scope, method }: Operation): Scope | 'none' {
  return scope ?? (method === 'get' ? 'read' : 'jobs');
}

function ended<Result extends z.ZodObject>(result: Result) {
  return z.union([result, vidnetFailedResultSchema]);
}
