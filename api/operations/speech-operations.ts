import { z } from 'zod';
import {
  speakerLabelsFailedSchema,
  speakerLabelsPendingSchema,
  speakerLabelsSchema,
} from '../../contract/kinds/speaker-labels.ts';
import { speechRequestSchema } from '../../contract/kinds/speech-request.ts';
import { getSpeech, requestSpeech } from '../use-cases/speech.ts';
import { failed, BY_DOWNLOAD_ID, operation, STARTS_JOB } from './operation.ts';

const PENDING = {
  description: 'The audio is being downloaded or transcribed',
  schema: speakerLabelsPendingSchema,
} as const;

export const speechOperations = {
  requestSpeech: operation('POST /api/speech', {
    ...STARTS_JOB,
    rpc: 'speech.request',
    tool: 'get_speech',
    summary: 'Get the transcript with speakers of a page, a video or a download, which is fetched if necessary',
    body: speechRequestSchema,
    jobs: ['speaker_labels'],
    answers: {
      200: { description: 'The transcript, which is empty if there is no speech', schema: speakerLabelsSchema },
      202: PENDING,
      ...failed(speakerLabelsFailedSchema),
    },
    errors: [...STARTS_JOB.errors, 'audio_failed', 'not_found'],
    run: requestSpeech,
  }),
  getSpeech: operation('GET /api/speech/{downloadId}', {
    rpc: 'speech.get',
    summary: 'Get a stored transcript with speakers by the ID of its job; free, and starts nothing',
    ...BY_DOWNLOAD_ID,
    unknown: { downloadId: 'There is no transcript with this id.' },
    wait: 'on request',
    answers: {
      200: {
        description: 'The transcript, which is empty if there is no speech, or why the job failed',
        schema: z.union([speakerLabelsSchema, speakerLabelsFailedSchema]),
      },
      202: PENDING,
    },
    run: getSpeech,
  }),
} as const;
