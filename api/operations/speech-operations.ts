import { z } from 'zod';
import { ulidSchema } from '../../contract/ids.ts';
import * as labels from '../../contract/kinds/speaker-labels.ts';
import { speechRequestSchema } from '../../contract/kinds/speech-request.ts';
import { namedSpeakersSchema, nameSpeakersRequestSchema } from '../../contract/kinds/speaker-names.ts';
import { speakerLabelFormatSchema } from '../../contract/text/speaker-label-formats.ts';
import { getSpeech, requestSpeech } from '../use-cases/speech.ts';
import { BY_DOWNLOAD_ID, failed, operation, STARTS_JOB } from './operation.ts';
import * as cases from '../use-cases/speaker-labels.ts';

const labelsParams = z.object({
  id: ulidSchema.describe('The `transcript_speaker_id` of the audio or the `download_id` of the job'),
});
const BY_LABELS_ID = {
  params: labelsParams,
  unknown: { id: 'There is no audio and no transcript with this id.' },
  errors: ['audio_failed', 'not_ready'],
} as const;
const REQUEST = {
  ...STARTS_JOB,
  jobs: ['speaker_labels'],
  errors: [...STARTS_JOB.errors, 'audio_failed', 'not_found'],
} as const;
const ENDED = {
  200: { description: 'The transcript, which is empty if there is no speech', schema: labels.speakerLabelsSchema },
  ...failed(labels.speakerLabelsFailedSchema),
} as const;
const STORED = {
  description: 'The transcript, which is empty if there is no speech, or why the job failed',
  schema: z.union([labels.speakerLabelsSchema, labels.speakerLabelsFailedSchema]),
} as const;
const SPEECH_PENDING = {
  description: 'The audio is being downloaded or transcribed',
  schema: labels.speakerLabelsPendingSchema,
} as const;
const LABELS_PENDING = {
  description: 'The audio is still being downloaded or transcribed',
  schema: z.union([labels.speakerLabelsPendingSchema, labels.audioRequiredSchema]),
} as const;

export const speakerLabelOperations = {
  requestSpeakerLabels: operation('POST /api/transcriptspeakerid', {
    ...REQUEST,
    rpc: 'speakers.request',
    summary: 'Get the speaker labels of a downloaded audio',
    body: labels.speakerLabelsRequestSchema,
    answers: { ...ENDED, 202: LABELS_PENDING },
    run: cases.requestSpeakerLabels,
  }),
  getSpeakerLabels: operation('GET /api/transcriptspeakerid/{id}', {
    rpc: 'speakers.get',
    summary: 'Get stored speaker labels by the ID of the audio or the job; free, and starts nothing',
    ...BY_LABELS_ID,
    wait: 'on request',
    answers: { 200: STORED, 202: LABELS_PENDING },
    errors: ['audio_failed'],
    run: cases.getSpeakerLabels,
  }),
  getSpokenWords: operation('GET /api/transcriptspeakerid/{id}/words', {
    rpc: 'speakers.words',
    summary: 'Get the start of each word of a transcript with speaker labels, and its voice segments',
    ...BY_LABELS_ID,
    answers: { 200: { description: 'The words', schema: labels.spokenWordsSchema } },
    run: cases.getSpokenWords,
  }),
  nameSpeakers: operation('PUT /api/transcriptspeakerid/{id}/names', {
    rpc: 'speakers.name',
    summary: 'Give names to the speakers of a transcript, which its files and answers show to every caller',
    ...BY_LABELS_ID,
    body: nameSpeakersRequestSchema,
    answers: { 200: { description: 'The names', schema: namedSpeakersSchema } },
    run: cases.nameSpeakers,
  }),
  exportSpeakerLabels: operation('GET /api/transcriptspeakerid/{id}.{format}', {
    rpc: 'speakers.export',
    summary: 'Export a transcript with speaker labels as subtitles, plain text or RTTM',
    ...BY_LABELS_ID,
    params: labelsParams.extend({ format: speakerLabelFormatSchema }),
    unknown: { format: 'A transcript is available as .srt, .vtt, .txt or .rttm.', ...BY_LABELS_ID.unknown },
    answers: {
      200: { description: 'The file', contentTypes: ['application/x-subrip', 'text/vtt', 'text/plain'] },
    },
    run: cases.exportSpeakerLabels,
  }),
} as const;

export const speechOperations = {
  requestSpeech: operation('POST /api/speech', {
    ...REQUEST,
    rpc: 'speech.request',
    tool: 'get_speech',
    summary: 'Get the transcript with speakers of a page, a video or a download, which is fetched if necessary',
    body: speechRequestSchema,
    answers: { ...ENDED, 202: SPEECH_PENDING },
    run: requestSpeech,
  }),
  getSpeech: operation('GET /api/speech/{downloadId}', {
    rpc: 'speech.get',
    summary: 'Get a stored transcript with speakers by the ID of its job; free, and starts nothing',
    ...BY_DOWNLOAD_ID,
    unknown: { downloadId: 'There is no transcript with this id.' },
    wait: 'on request',
    answers: { 200: STORED, 202: SPEECH_PENDING },
    run: getSpeech,
  }),
} as const;
