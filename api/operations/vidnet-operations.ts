import { z } from 'zod';
import { vidnetFailedResultSchema, vidnetPendingResultSchema } from '../../contract/http/job-answers.ts';
import { channelRequestSchema, channelProfileSchema } from '../../contract/kinds/channel.ts';
import { transcriptSchema } from '../../contract/kinds/transcript.ts';
import { transcriptRequestSchema } from '../../contract/kinds/transcript-request.ts';
import { transcriptFormatSchema } from '../../contract/text/transcript-formats.ts';
import { downloadIdParams, failed, BY_DOWNLOAD_ID, operation, STARTS_JOB, UNKNOWN_DOWNLOAD } from './operation.ts';
import { exportTranscript, getTranscript, requestTranscript } from '../use-cases/transcripts.ts';
import { requestChannel } from '../use-cases/vidnet-requests.ts';

export const vidnetOperations = {
  requestChannel: operation('POST /api/channel/profile', {
    ...STARTS_JOB,
    rpc: 'channels.profile',
    tool: 'get_channel',
    summary: 'Get the profile of a channel with its videos',
    body: channelRequestSchema,
    jobs: ['list'],
    wait: 'by default',
    answers: {
      200: { description: 'The profile', schema: channelProfileSchema },
      202: { description: 'The job has not ended', schema: vidnetPendingResultSchema },
      ...failed(vidnetFailedResultSchema),
    },
    run: requestChannel,
  }),
  requestTranscript: operation('POST /api/transcripts', {
    ...STARTS_JOB,
    rpc: 'transcripts.request',
    tool: 'get_transcript',
    summary: 'Get the captions of a video in a language',
    body: transcriptRequestSchema,
    jobs: ['captions'],
    wait: 'by default',
    answers: {
      200: { description: 'The transcript', schema: transcriptSchema },
      202: { description: 'The job has not ended', schema: vidnetPendingResultSchema },
      ...failed(vidnetFailedResultSchema),
    },
    run: requestTranscript,
  }),
  getTranscript: operation('GET /api/transcripts/{downloadId}', {
    rpc: 'transcripts.get',
    summary: 'Get a stored transcript; free, and starts nothing',
    ...BY_DOWNLOAD_ID,
    wait: 'on request',
    answers: {
      200: {
        description: 'The transcript, or why the job failed',
        schema: z.union([transcriptSchema, vidnetFailedResultSchema]),
      },
      202: { description: 'The job has not ended', schema: vidnetPendingResultSchema },
    },
    run: getTranscript,
  }),
  exportTranscript: operation('GET /api/transcripts/{downloadId}.{format}', {
    rpc: 'transcripts.export',
    summary: 'Export a transcript as subtitles or plain text',
    params: downloadIdParams.extend({ format: transcriptFormatSchema }),
    unknown: { format: 'A transcript is available as .srt, .vtt or .txt.', ...UNKNOWN_DOWNLOAD },
    answers: {
      200: { description: 'The file', contentTypes: ['application/x-subrip', 'text/vtt', 'text/plain'] },
    },
    errors: ['not_ready'],
    run: exportTranscript,
  }),
} as const;
