import { z } from 'zod';
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
import { imgnetAudioResultSchema } from '../contract/kinds/imgnet-audio.ts';
import { failedResultSchema } from '../contract/job-answers.ts';
import { STARTS_JOB, type Operation } from './operation.ts';

/** The operations on the photo platform. */
export const imgnetOperations = {
  requestImgnetProfile: {
    method: 'post',
    path: '/api/imgnet/profile',
    summary: 'Get the profile of an account of the photo platform',
    body: imgnetProfileRequestSchema,
    wait: 'when asked',
    answers: {
      200: {
        description: 'The profile, or why it could not be had',
        schema: z.union([imgnetProfileSchema, failedResultSchema]),
      },
      202: { description: 'The job has not ended', schema: imgnetProfilePendingSchema },
    },
    errors: STARTS_JOB,
  },
  requestImgnetList: {
    method: 'post',
    path: '/api/imgnet/list',
    summary: 'Get the posts and reels of an account of the photo platform',
    body: imgnetListRequestSchema,
    wait: 'when asked',
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
    wait: 'when asked',
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
    wait: 'when asked',
    answers: {
      200: {
        description: 'The audio, or that there is none, or why it could not be had',
        schema: imgnetAudioResultSchema,
      },
      202: { description: 'The job has not ended', schema: imgnetAudioResultSchema },
    },
    errors: STARTS_JOB,
  },
} as const satisfies Record<string, Operation>;
