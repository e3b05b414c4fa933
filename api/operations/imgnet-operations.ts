import { z } from 'zod';
import { failedRecordOf } from '../../contract/http/download-schemas.ts';
import { failedResultSchema } from '../../contract/http/job-answers.ts';
import { imgnetAudioRecordSchema, imgnetAudioResultSchema } from '../../contract/kinds/imgnet-audio.ts';
import * as content from '../../contract/kinds/imgnet-content.ts';
import * as list from '../../contract/kinds/imgnet-list.ts';
import * as profile from '../../contract/kinds/imgnet-profile.ts';
import { failed, operation, STARTS_JOB } from './operation.ts';
import { requestImgnetAudio, requestImgnetContent, requestImgnetProfile } from '../use-cases/imgnet-requests.ts';
import { requestImgnetList } from '../use-cases/imgnet-list.ts';

export const imgnetOperations = {
  requestImgnetProfile: operation('POST /api/imgnet/profile', {
    ...STARTS_JOB,
    rpc: 'imgnet.profile',
    tool: 'get_profile',
    summary: 'Get the profile of an account of the photo platform',
    body: profile.imgnetProfileRequestSchema,
    jobs: ['imgnet_profile'],
    answers: {
      200: { description: 'The profile', schema: profile.imgnetProfileSchema },
      202: { description: 'The job has not ended', schema: profile.imgnetProfilePendingSchema },
      ...failed(failedResultSchema),
    },
    run: requestImgnetProfile,
  }),
  requestImgnetList: operation('POST /api/imgnet/list', {
    ...STARTS_JOB,
    rpc: 'imgnet.list',
    tool: 'get_posts',
    summary: 'Get the posts and reels of an account of the photo platform',
    body: list.imgnetListRequestSchema,
    jobs: ['imgnet_list_posts', 'imgnet_list_reels'],
    answers: {
      200: { description: 'The list, or the part of it that could be fetched', schema: list.imgnetListSchema },
      202: { description: 'A part of the list is still being fetched', schema: list.imgnetListPendingSchema },
      ...failed(list.imgnetListFailedSchema),
    },
    errors: [...STARTS_JOB.errors, 'not_found', 'not_ready', 'list_id_expired'],
    run: requestImgnetList,
  }),
  requestImgnetContent: operation('POST /api/imgnet/content', {
    ...STARTS_JOB,
    rpc: 'imgnet.content',
    tool: 'get_post',
    summary: 'Get the metadata of a post or reel of the photo platform',
    body: content.imgnetPostRequestSchema,
    jobs: ['imgnet_post'],
    answers: {
      200: { description: 'The post or reel', schema: z.union([content.imgnetPostSchema, content.imgnetReelSchema]) },
      202: { description: 'The job has not ended', schema: content.imgnetContentPendingSchema },
      ...failed(failedResultSchema),
    },
    run: requestImgnetContent,
  }),
  requestImgnetAudio: operation('POST /api/imgnet/audio', {
    ...STARTS_JOB,
    rpc: 'imgnet.audio',
    tool: 'get_post_audio',
    summary: 'Fetch the audio of a post or reel of the photo platform as M4A',
    body: content.imgnetPostRequestSchema,
    jobs: ['imgnet_audio'],
    answers: {
      200: { description: 'The audio, or the information that there is none', schema: imgnetAudioResultSchema },
      202: { description: 'The job has not ended', schema: imgnetAudioResultSchema },
      ...failed(failedRecordOf('ImgnetAudioFailed', imgnetAudioRecordSchema)),
    },
    run: requestImgnetAudio,
  }),
} as const;
