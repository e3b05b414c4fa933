import { z } from 'zod';
import {
  webhookIdSchema,
  deliveryListQuerySchema,
  webhookTestRequestSchema,
  deliveryListSchema,
  deliverySchema,
  webhookTestResultSchema,
} from '../contract/deliveries.ts';
import { ulidSchema } from '../contract/ids.ts';
import { accountQuerySchema, accountSchema } from '../contract/accounts.ts';
import { channelRequestSchema, channelProfileSchema } from '../contract/kinds/channel.ts';
import { downloadListQuerySchema, vidnetDownloadRequestSchema } from '../contract/downloads.ts';
import {
  speakerLabelsRequestSchema,
  audioRequiredSchema,
  speakerLabelsFailedSchema,
  speakerLabelsPendingSchema,
  speakerLabelsSchema,
} from '../contract/kinds/speaker-labels.ts';
import { transcriptRequestSchema, transcriptSchema } from '../contract/kinds/transcript.ts';
import { audioResultSchema } from '../contract/kinds/audio.ts';
import { downloadListSchema, downloadResultSchema } from '../contract/kinds.ts';
import { videoResultSchema } from '../contract/kinds/video.ts';
import { healthSchema, liveSchema } from '../contract/health.ts';
import { vidnetFailedResultSchema, vidnetPendingResultSchema } from '../contract/job-answers.ts';
import { speakerLabelFormatSchema } from '../contract/speaker-label-formats.ts';
import { transcriptFormatSchema } from '../contract/transcript-formats.ts';
import { imgnetOperations } from './imgnet-operations.ts';
import { ALWAYS, STARTS_JOB, WITH_BODY, WITH_ID, type Operation } from './operation.ts';

const downloadIdParams = z.object({ downloadId: ulidSchema });
const labelsParams = z.object({
  id: ulidSchema.describe('`transcript_speaker_id` of the audio, or `download_id` of the job'),
});
const SPEAKER_LABELS = {
  200: {
    description: 'The transcript, or that nobody speaks, or why it could not be had',
    schema: z.union([speakerLabelsSchema, speakerLabelsFailedSchema]),
  },
  202: {
    description: 'The transcription or the download of the audio has not ended',
    schema: z.union([speakerLabelsPendingSchema, audioRequiredSchema]),
  },
} as const;

/** All operations. The routes and the OpenAPI document are both made from this table. */
export const operations = {
  requestAudio: {
    method: 'post',
    path: '/api/downloads/audio',
    summary: 'Fetch the audio of a video as M4A',
    body: vidnetDownloadRequestSchema,
    wait: 'when asked',
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
    wait: 'when asked',
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
    wait: 'when asked',
    answers: {
      200: { description: 'The download has ended, well or not', schema: downloadResultSchema },
      202: { description: 'The job has not ended', schema: downloadResultSchema },
    },
    errors: WITH_ID,
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
    errors: [...WITH_ID, 'already_finished'],
  },
  requestChannel: {
    method: 'post',
    path: '/api/channel/profile',
    summary: 'Get the profile of a channel with the list of its videos',
    body: channelRequestSchema,
    wait: 'by default',
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
    wait: 'by default',
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
    wait: 'when asked',
    answers: {
      200: { description: 'The transcript, or why it could not be had', schema: ended(transcriptSchema) },
      202: { description: 'The job has not ended', schema: vidnetPendingResultSchema },
    },
    errors: WITH_ID,
  },
  exportTranscript: {
    method: 'get',
    path: '/api/transcripts/{downloadId}.{format}',
    summary: 'Get a transcript as subtitles or plain text',
    params: downloadIdParams.extend({ format: transcriptFormatSchema }),
    answers: {
      200: { description: 'The file', contentTypes: ['application/x-subrip', 'text/vtt', 'text/plain'] },
    },
    errors: [...WITH_ID, 'not_ready'],
  },
  requestSpeakerLabels: {
    method: 'post',
    path: '/api/transcriptspeakerid',
    summary: 'Get who says what in an audio that was downloaded',
    body: speakerLabelsRequestSchema,
    wait: 'when asked',
    answers: SPEAKER_LABELS,
    errors: [...STARTS_JOB, 'audio_failed', 'not_found'],
  },
  getSpeakerLabels: {
    method: 'get',
    path: '/api/transcriptspeakerid/{id}',
    summary: 'Get a transcript with speaker labels again, by the id of the audio or the job; starts and costs nothing',
    params: labelsParams,
    wait: 'when asked',
    answers: SPEAKER_LABELS,
    errors: [...WITH_ID, 'audio_failed'],
  },
  exportSpeakerLabels: {
    method: 'get',
    path: '/api/transcriptspeakerid/{id}.{format}',
    summary: 'Get a transcript with speaker labels as subtitles, plain text or RTTM',
    params: labelsParams.extend({ format: speakerLabelFormatSchema }),
    answers: {
      200: { description: 'The file', contentTypes: ['application/x-subrip', 'text/vtt', 'text/plain'] },
    },
    errors: [...WITH_ID, 'audio_failed', 'not_ready'],
  },
  ...imgnetOperations,
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
  listDeliveries: {
    method: 'get',
    path: '/api/webhook/deliveries',
    summary: 'List webhooks with their attempts, those of the newest downloads first',
    query: deliveryListQuerySchema,
    answers: { 200: { description: 'A page of deliveries', schema: deliveryListSchema } },
    errors: ['invalid_input', ...ALWAYS],
  },
  redeliverWebhook: {
    method: 'post',
    scope: 'webhooks',
    path: '/api/webhook/deliveries/{deliveryId}/redeliver',
    summary: 'Deliver a webhook again',
    params: z.object({ deliveryId: webhookIdSchema }),
    answers: { 202: { description: 'A further round of attempts was started', schema: deliverySchema } },
    errors: [...WITH_ID, 'delivery_pending', 'too_many_webhooks'],
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
    errors: ['forbidden', 'method_not_allowed'],
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
    errors: ['forbidden', 'method_not_allowed'],
  },
} as const satisfies Record<string, Operation>;

function ended<Result extends z.ZodObject>(result: Result) {
  return z.union([result, vidnetFailedResultSchema]);
}
