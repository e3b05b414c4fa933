import { z } from 'zod';
import {
  webhookIdSchema,
  deliveryListQuerySchema,
  webhookTestRequestSchema,
  deliveryListSchema,
  deliverySchema,
  webhookTestRefusedSchema,
  webhookTestResultSchema,
} from '../contract/deliveries.ts';
import { ulidSchema } from '../contract/ids.ts';
import { accountQuerySchema, accountSchema } from '../contract/accounts.ts';
import { channelRequestSchema, channelProfileSchema } from '../contract/kinds/channel.ts';
import { downloadListQuerySchema, failedRecordOf, vidnetDownloadRequestSchema } from '../contract/downloads.ts';
import {
  imgnetListRequestSchema,
  imgnetListFailedSchema,
  imgnetListPendingSchema,
  imgnetListSchema,
} from '../contract/kinds/imgnet-list.ts';
import {
  imgnetPostRequestSchema,
  imgnetContentPendingSchema,
  imgnetPostSchema,
  imgnetReelSchema,
} from '../contract/kinds/imgnet-content.ts';
import {
  imgnetProfileRequestSchema,
  imgnetProfilePendingSchema,
  imgnetProfileSchema,
} from '../contract/kinds/imgnet-profile.ts';
import {
  speakerLabelsRequestSchema,
  audioRequiredSchema,
  speakerLabelsFailedSchema,
  speakerLabelsPendingSchema,
  speakerLabelsSchema,
} from '../contract/kinds/speaker-labels.ts';
import { transcriptRequestSchema, transcriptSchema } from '../contract/kinds/transcript.ts';
import { audioRecordSchema, audioResultSchema } from '../contract/kinds/audio.ts';
import { downloadListSchema, downloadResultSchema } from '../contract/kinds.ts';
import { imgnetAudioRecordSchema, imgnetAudioResultSchema } from '../contract/kinds/imgnet-audio.ts';
import { videoRecordSchema, videoResultSchema } from '../contract/kinds/video.ts';
import { mediaRecordSchema, mediaRequestSchema, mediaResultSchema } from '../contract/kinds/media.ts';
import { healthSchema, liveSchema } from '../contract/health.ts';
import { failedResultSchema, vidnetFailedResultSchema, vidnetPendingResultSchema } from '../contract/job-answers.ts';
import { speakerLabelFormatSchema } from '../contract/speaker-label-formats.ts';
import { transcriptFormatSchema } from '../contract/transcript-formats.ts';
import { failed, operation, STARTS_JOB } from './operation.ts';
import { getAccount } from './use-cases/account.ts';
import { checkHealth, checkLive, checkReady } from './use-cases/check-health.ts';
import { cancelDownload, getDownload, listDownloads } from './use-cases/downloads.ts';
import {
  requestImgnetAudio,
  requestImgnetContent,
  requestImgnetList,
  requestImgnetProfile,
} from './use-cases/imgnet.ts';
import { requestMedia } from './use-cases/media.ts';
import { exportSpeakerLabels, getSpeakerLabels, requestSpeakerLabels } from './use-cases/speaker-labels.ts';
import { exportTranscript, getTranscript, requestTranscript } from './use-cases/transcripts.ts';
import { requestAudio, requestChannel, requestVideo } from './use-cases/vidnet.ts';
import { listDeliveries, redeliverWebhook, testWebhook } from './use-cases/webhooks.ts';

const downloadIdParams = z.object({ downloadId: ulidSchema });
const UNKNOWN_DOWNLOAD = { downloadId: 'There is no download with this id.' };
const labelsParams = z.object({
  id: ulidSchema.describe('`transcript_speaker_id` of the audio, or `download_id` of the job'),
});
const UNKNOWN_LABELS = { id: 'There is no audio and no transcript with this id.' };
const LABELS_PENDING = {
  description: 'The transcription or the download of the audio has not ended',
  schema: z.union([speakerLabelsPendingSchema, audioRequiredSchema]),
} as const;

/** All operations. The routes, the tRPC procedures and the OpenAPI document are all made from this table. */
export const operations = {
  requestAudio: operation({
    method: 'post',
    path: '/api/downloads/audio',
    rpc: 'downloads.audio',
    summary: 'Fetch the audio of a video as M4A',
    body: vidnetDownloadRequestSchema,
    wait: 'when asked',
    answers: {
      200: { description: 'The audio was fetched before; nothing is charged', schema: audioResultSchema },
      202: { description: 'A job was started', schema: audioResultSchema },
      ...failed(failedRecordOf(audioRecordSchema)),
    },
    errors: [...STARTS_JOB, 'pending_duplicate'],
    run: requestAudio,
  }),
  requestVideo: operation({
    method: 'post',
    path: '/api/downloads/video',
    rpc: 'downloads.video',
    summary: 'Fetch a video as MP4',
    body: vidnetDownloadRequestSchema,
    wait: 'when asked',
    answers: {
      200: { description: 'The video was fetched before; nothing is charged', schema: videoResultSchema },
      202: { description: 'A job was started', schema: videoResultSchema },
      ...failed(failedRecordOf(videoRecordSchema)),
    },
    errors: [...STARTS_JOB, 'pending_duplicate'],
    run: requestVideo,
  }),
  requestMedia: operation({
    method: 'post',
    path: '/api/downloads/media',
    rpc: 'downloads.media',
    summary: 'Fetch the audio or the video of a page of any site',
    body: mediaRequestSchema,
    wait: 'when asked',
    answers: {
      200: { description: 'The file, fetched now, or before and not charged again', schema: mediaResultSchema },
      202: { description: 'The job has not ended', schema: mediaResultSchema },
      ...failed(failedRecordOf(mediaRecordSchema)),
    },
    errors: STARTS_JOB,
    run: requestMedia,
  }),
  listDownloads: operation({
    method: 'get',
    path: '/api/downloads',
    rpc: 'downloads.list',
    summary: 'List downloads, newest first',
    query: downloadListQuerySchema,
    answers: { 200: { description: 'A page of download records', schema: downloadListSchema } },
    run: listDownloads,
  }),
  getDownload: operation({
    method: 'get',
    path: '/downloads/{downloadId}',
    rpc: 'downloads.get',
    summary: 'Get a download, with a fresh link',
    params: downloadIdParams,
    unknown: UNKNOWN_DOWNLOAD,
    wait: 'when asked',
    answers: {
      200: { description: 'The download has ended, well or not', schema: downloadResultSchema },
      202: { description: 'The job has not ended', schema: downloadResultSchema },
    },
    run: getDownload,
  }),
  cancelDownload: operation({
    method: 'delete',
    path: '/downloads/{downloadId}',
    rpc: 'downloads.cancel',
    summary: 'Cancel a pending download',
    params: downloadIdParams,
    unknown: UNKNOWN_DOWNLOAD,
    answers: {
      200: { description: 'The job has ended, as failed', schema: downloadResultSchema },
      202: { description: 'The job was told to stop', schema: downloadResultSchema },
    },
    errors: ['already_finished'],
    run: cancelDownload,
  }),
  requestChannel: operation({
    method: 'post',
    path: '/api/channel/profile',
    rpc: 'channels.profile',
    summary: 'Get the profile of a channel with the list of its videos',
    body: channelRequestSchema,
    wait: 'by default',
    answers: {
      200: { description: 'The profile', schema: channelProfileSchema },
      202: { description: 'The job has not ended', schema: vidnetPendingResultSchema },
      ...failed(vidnetFailedResultSchema),
    },
    errors: STARTS_JOB,
    run: requestChannel,
  }),
  requestTranscript: operation({
    method: 'post',
    path: '/api/transcripts',
    rpc: 'transcripts.request',
    summary: 'Get the captions of a video in a language',
    body: transcriptRequestSchema,
    wait: 'by default',
    answers: {
      200: { description: 'The transcript', schema: transcriptSchema },
      202: { description: 'The job has not ended', schema: vidnetPendingResultSchema },
      ...failed(vidnetFailedResultSchema),
    },
    errors: STARTS_JOB,
    run: requestTranscript,
  }),
  getTranscript: operation({
    method: 'get',
    path: '/api/transcripts/{downloadId}',
    rpc: 'transcripts.get',
    summary: 'Get a transcript again; starts nothing and costs nothing',
    params: downloadIdParams,
    unknown: UNKNOWN_DOWNLOAD,
    wait: 'when asked',
    answers: {
      200: {
        description: 'The transcript, or why it could not be had',
        schema: z.union([transcriptSchema, vidnetFailedResultSchema]),
      },
      202: { description: 'The job has not ended', schema: vidnetPendingResultSchema },
    },
    run: getTranscript,
  }),
  exportTranscript: operation({
    method: 'get',
    path: '/api/transcripts/{downloadId}.{format}',
    rpc: 'transcripts.export',
    summary: 'Get a transcript as subtitles or plain text',
    params: downloadIdParams.extend({ format: transcriptFormatSchema }),
    unknown: { format: 'A transcript can be had as .srt, .vtt or .txt.', ...UNKNOWN_DOWNLOAD },
    answers: {
      200: { description: 'The file', contentTypes: ['application/x-subrip', 'text/vtt', 'text/plain'] },
    },
    errors: ['not_ready'],
    run: exportTranscript,
  }),
  requestSpeakerLabels: operation({
    method: 'post',
    path: '/api/transcriptspeakerid',
    rpc: 'speakers.request',
    summary: 'Get who says what in an audio that was downloaded',
    body: speakerLabelsRequestSchema,
    wait: 'when asked',
    answers: {
      200: { description: 'The transcript, or that nobody speaks', schema: speakerLabelsSchema },
      202: LABELS_PENDING,
      ...failed(speakerLabelsFailedSchema),
    },
    errors: [...STARTS_JOB, 'audio_failed', 'not_found'],
    run: requestSpeakerLabels,
  }),
  getSpeakerLabels: operation({
    method: 'get',
    path: '/api/transcriptspeakerid/{id}',
    rpc: 'speakers.get',
    summary: 'Get a transcript with speaker labels again, by the id of the audio or the job; starts and costs nothing',
    params: labelsParams,
    unknown: UNKNOWN_LABELS,
    wait: 'when asked',
    answers: {
      200: {
        description: 'The transcript, or that nobody speaks, or why it could not be had',
        schema: z.union([speakerLabelsSchema, speakerLabelsFailedSchema]),
      },
      202: LABELS_PENDING,
    },
    errors: ['audio_failed'],
    run: getSpeakerLabels,
  }),
  exportSpeakerLabels: operation({
    method: 'get',
    path: '/api/transcriptspeakerid/{id}.{format}',
    rpc: 'speakers.export',
    summary: 'Get a transcript with speaker labels as subtitles, plain text or RTTM',
    params: labelsParams.extend({ format: speakerLabelFormatSchema }),
    unknown: { format: 'A transcript can be had as .srt, .vtt, .txt or .rttm.', ...UNKNOWN_LABELS },
    answers: {
      200: { description: 'The file', contentTypes: ['application/x-subrip', 'text/vtt', 'text/plain'] },
    },
    errors: ['audio_failed', 'not_ready'],
    run: exportSpeakerLabels,
  }),
  requestImgnetProfile: operation({
    method: 'post',
    path: '/api/imgnet/profile',
    rpc: 'imgnet.profile',
    summary: 'Get the profile of an account of the photo platform',
    body: imgnetProfileRequestSchema,
    wait: 'when asked',
    answers: {
      200: { description: 'The profile', schema: imgnetProfileSchema },
      202: { description: 'The job has not ended', schema: imgnetProfilePendingSchema },
      ...failed(failedResultSchema),
    },
    errors: STARTS_JOB,
    run: requestImgnetProfile,
  }),
  requestImgnetList: operation({
    method: 'post',
    path: '/api/imgnet/list',
    rpc: 'imgnet.list',
    summary: 'Get the posts and reels of an account of the photo platform',
    body: imgnetListRequestSchema,
    wait: 'when asked',
    answers: {
      200: { description: 'The list, or the part of it that could be had', schema: imgnetListSchema },
      202: { description: 'A part of it has not ended', schema: imgnetListPendingSchema },
      ...failed(imgnetListFailedSchema),
    },
    errors: [...STARTS_JOB, 'not_found', 'not_ready', 'list_id_expired'],
    run: requestImgnetList,
  }),
  requestImgnetContent: operation({
    method: 'post',
    path: '/api/imgnet/content',
    rpc: 'imgnet.content',
    summary: 'Get the metadata of a post or reel of the photo platform',
    body: imgnetPostRequestSchema,
    wait: 'when asked',
    answers: {
      200: { description: 'The post or reel', schema: z.union([imgnetPostSchema, imgnetReelSchema]) },
      202: { description: 'The job has not ended', schema: imgnetContentPendingSchema },
      ...failed(failedResultSchema),
    },
    errors: STARTS_JOB,
    run: requestImgnetContent,
  }),
  requestImgnetAudio: operation({
    method: 'post',
    path: '/api/imgnet/audio',
    rpc: 'imgnet.audio',
    summary: 'Fetch the audio of a post or reel of the photo platform as M4A',
    body: imgnetPostRequestSchema,
    wait: 'when asked',
    answers: {
      200: { description: 'The audio, or that there is none', schema: imgnetAudioResultSchema },
      202: { description: 'The job has not ended', schema: imgnetAudioResultSchema },
      ...failed(failedRecordOf(imgnetAudioRecordSchema)),
    },
    errors: STARTS_JOB,
    run: requestImgnetAudio,
  }),
  getAccount: operation({
    method: 'get',
    path: '/api/account',
    summary: 'Get the credit of an API key, and what its downloads have cost',
    query: accountQuerySchema,
    answers: { 200: { description: 'The account, with a page of its entries', schema: accountSchema } },
    run: getAccount,
  }),
  testWebhook: operation({
    method: 'post',
    scope: 'webhooks',
    path: '/api/webhook/test',
    rpc: 'webhook.test',
    summary: 'Check that a webhook URL can be reached',
    body: webhookTestRequestSchema,
    answers: { 200: { description: 'How the URL answered', schema: webhookTestResultSchema } },
    errors: ['webhook_target_forbidden'],
    errorBodies: { 400: webhookTestRefusedSchema },
    run: testWebhook,
  }),
  listDeliveries: operation({
    method: 'get',
    path: '/api/webhook/deliveries',
    rpc: 'webhook.deliveries',
    summary: 'List webhooks with their attempts, those of the newest downloads first',
    query: deliveryListQuerySchema,
    answers: { 200: { description: 'A page of deliveries', schema: deliveryListSchema } },
    run: listDeliveries,
  }),
  redeliverWebhook: operation({
    method: 'post',
    scope: 'webhooks',
    path: '/api/webhook/deliveries/{deliveryId}/redeliver',
    rpc: 'webhook.redeliver',
    summary: 'Deliver a webhook again',
    params: z.object({ deliveryId: webhookIdSchema }),
    unknown: { deliveryId: 'There is no webhook delivery with this id.' },
    answers: { 202: { description: 'A further round of attempts was started', schema: deliverySchema } },
    errors: ['delivery_pending', 'too_many_webhooks'],
    run: redeliverWebhook,
  }),
  checkLive: operation({
    method: 'get',
    scope: 'none',
    path: '/live',
    summary: 'Whether the process runs; it asks no engine',
    answers: { 200: { description: 'It runs', schema: liveSchema } },
    errors: ['method_not_allowed'],
    run: checkLive,
  }),
  checkReady: operation({
    method: 'get',
    scope: 'none',
    path: '/ready',
    summary: 'Whether requests should be sent here',
    answers: {
      200: { description: 'All engines answer', schema: healthSchema },
      503: { description: 'An engine is away, or the process is about to stop', schema: healthSchema },
    },
    errors: ['forbidden', 'method_not_allowed'],
    run: checkReady,
  }),
  checkHealth: operation({
    method: 'get',
    scope: 'none',
    path: '/health',
    rpc: 'health',
    summary: 'Whether the service can work',
    answers: {
      200: { description: 'All engines answer', schema: healthSchema },
      503: { description: 'An engine is away', schema: healthSchema },
    },
    errors: ['forbidden', 'method_not_allowed'],
    run: checkHealth,
  }),
} as const;
