import {
  downloadListQuerySchema,
  failedRecordOf,
  vidnetDownloadRequestSchema,
} from '../../contract/http/download-schemas.ts';
import { downloadListSchema, downloadResultSchema, jobResultSchema } from '../../contract/kinds/kinds.ts';
import { audioRecordSchema, audioResultSchema } from '../../contract/kinds/audio.ts';
import { mediaRecordSchema, mediaRequestSchema, mediaResultSchema } from '../../contract/kinds/media.ts';
import { mediaInfoRequestSchema, mediaInfoSchema } from '../../contract/kinds/media-info.ts';
import { failedResultSchema, pendingResultSchema } from '../../contract/http/job-answers.ts';
import { videoRecordSchema, videoResultSchema } from '../../contract/kinds/video.ts';
import { failed, BY_DOWNLOAD_ID, operation, STARTS_JOB } from './operation.ts';
import { cancelDownload, getDownload, listDownloads } from '../use-cases/downloads.ts';
import { followDownload, followDownloads } from '../use-cases/follow-events.ts';
import { requestMediaInfo } from '../use-cases/media-info.ts';
import { removeContents } from '../use-cases/remove-contents.ts';
import { requestMedia } from '../use-cases/media.ts';
import { requestAudio, requestVideo } from '../use-cases/vidnet-requests.ts';

export const downloadOperations = {
  requestAudio: operation('POST /api/downloads/audio', {
    ...STARTS_JOB,
    rpc: 'downloads.audio',
    tool: 'get_audio',
    summary: 'Fetch the audio of a video as M4A',
    body: vidnetDownloadRequestSchema,
    jobs: ['audio'],
    answers: {
      200: { description: 'The audio was fetched before; nothing is charged', schema: audioResultSchema },
      202: { description: 'A job was started', schema: audioResultSchema },
      ...failed(failedRecordOf('AudioFailed', audioRecordSchema)),
    },
    errors: [...STARTS_JOB.errors, 'pending_duplicate'],
    run: requestAudio,
  }),
  requestVideo: operation('POST /api/downloads/video', {
    ...STARTS_JOB,
    rpc: 'downloads.video',
    tool: 'get_video',
    summary: 'Fetch a video as MP4',
    body: vidnetDownloadRequestSchema,
    jobs: ['vidnet_video'],
    answers: {
      200: { description: 'The video was fetched before; nothing is charged', schema: videoResultSchema },
      202: { description: 'A job was started', schema: videoResultSchema },
      ...failed(failedRecordOf('VideoFailed', videoRecordSchema)),
    },
    errors: [...STARTS_JOB.errors, 'pending_duplicate'],
    run: requestVideo,
  }),
  requestMedia: operation('POST /api/downloads/media', {
    ...STARTS_JOB,
    rpc: 'downloads.media',
    tool: 'get_media',
    summary: 'Fetch the audio or video of a page of any site',
    body: mediaRequestSchema,
    jobs: ['media'],
    answers: {
      200: { description: 'The file; if it was fetched before, nothing is charged', schema: mediaResultSchema },
      202: { description: 'The job has not ended', schema: mediaResultSchema },
      ...failed(failedRecordOf('MediaFailed', mediaRecordSchema)),
    },
    run: requestMedia,
  }),
  requestMediaInfo: operation('POST /api/media/info', {
    ...STARTS_JOB,
    rpc: 'media.info',
    tool: 'look_at_url',
    summary: 'Look at a page: its title, length, formats and captions, before anything is fetched',
    body: mediaInfoRequestSchema,
    jobs: ['media_info'],
    wait: 'by default',
    answers: {
      200: { description: 'The page states these facts; they are at most ten minutes old', schema: mediaInfoSchema },
      202: { description: 'The job has not ended', schema: pendingResultSchema },
      ...failed(failedResultSchema),
    },
    run: requestMediaInfo,
  }),
  listDownloads: operation('GET /api/downloads', {
    rpc: 'downloads.list',
    tool: 'list_jobs',
    summary: 'List downloads, newest first',
    query: downloadListQuerySchema,
    answers: { 200: { description: 'A page of download records', schema: downloadListSchema } },
    run: listDownloads,
  }),
  getDownload: operation('GET /downloads/{downloadId}', {
    rpc: 'downloads.get',
    tool: 'get_job',
    summary: 'Get a download with a fresh link',
    ...BY_DOWNLOAD_ID,
    wait: 'on request',
    answers: {
      200: { description: 'The download has ended as a success or a failure', schema: downloadResultSchema },
      202: { description: 'The job has not ended', schema: downloadResultSchema },
    },
    run: getDownload,
  }),
  followDownload: operation('GET /api/downloads/{downloadId}/events', {
    rpc: 'downloads.events',
    summary: 'Follow a job by server-sent events until it ends; an addition to the specification',
    ...BY_DOWNLOAD_ID,
    answers: {
      200: { description: 'The state of the job at each change', event: jobResultSchema },
      204: { description: 'The reader has received the end already, according to `Last-Event-ID`' },
    },
    run: followDownload,
  }),
  followDownloads: operation('GET /api/downloads/events', {
    rpc: 'downloads.allEvents',
    summary: 'Follow all downloads of the list by server-sent events; an addition to the specification',
    answers: {
      200: {
        description: 'The record of each download that is pending, starts, changes or ends',
        event: downloadResultSchema,
      },
    },
    run: followDownloads,
  }),
  cancelDownload: operation('DELETE /downloads/{downloadId}', {
    rpc: 'downloads.cancel',
    tool: 'cancel_job',
    summary: 'Cancel a pending download',
    ...BY_DOWNLOAD_ID,
    answers: {
      200: { description: 'The job has ended as failed', schema: downloadResultSchema },
      202: { description: 'The job is being cancelled', schema: downloadResultSchema },
    },
    errors: ['already_finished'],
    run: cancelDownload,
  }),
  removeContents: operation('DELETE /api/downloads/{downloadId}/contents', {
    rpc: 'downloads.removeContents',
    summary: 'Remove the files and contents of a download for good, with the transcripts that were made of it',
    ...BY_DOWNLOAD_ID,
    answers: { 200: { description: 'The record, which stays', schema: downloadResultSchema } },
    errors: ['contents_in_use', 'not_ready'],
    run: removeContents,
  }),
} as const;
