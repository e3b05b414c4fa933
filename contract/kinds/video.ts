import { z } from 'zod';
import {
  fileFields,
  recordFields,
  renderFiles,
  renderVidnetFields,
  vidnetRecordFields,
} from '../http/download-schemas.ts';
import { inData, type Kind, type RenderRecord } from './kind.ts';
import type { DownloadRecord } from '../download-record.ts';
import { vidnetVideoIdSchema } from '../ids.ts';
import { jobBaseSchema } from '../job-schema.ts';
import { labelsOfVideo } from './sound.ts';
import { SAMPLE } from './sample.ts';

export const videoRecordSchema = z
  .object({
    ...vidnetRecordFields,
    ...fileFields,
    type: z.literal('vidnet_video'),
    audio_url: z.null().describe('The audio is a job of its own'),
    file_urls: recordFields.file_urls.describe(
      'One signed link to the MP4 file; null until the status is success, and when the file was removed',
    ),
  })
  .meta({ id: 'VideoRecord' });
export type VideoRecord = z.infer<typeof videoRecordSchema>;

export const videoResultSchema = z.object({ data: videoRecordSchema }).meta({ id: 'VideoResult' });
export type VideoResult = z.infer<typeof videoResultSchema>;

const renderVideo: RenderRecord<VideoRecord> = (record, context, progress) => ({
  ...renderVidnetFields(record, progress),
  type: 'vidnet_video',
  ...renderFiles(record, context),
  audio_url: null,
  ...labelsOfVideo(record, context.prices),
});

export const video = {
  workflow: 'video',
  endpoint: 'downloads/video',
  freshness: 'files',
  prices: { video: { setting: 'PRICE_VIDEO', default: '0.010', about: 'Price of a video job' } },
  job: jobBaseSchema.extend({ type: z.literal('vidnet_video'), mediaId: vidnetVideoIdSchema }),
  sample: {
    mediaId: SAMPLE.videoId,
    price: 10,
    failure: ['private', 'The video is private.'],
    file: `${SAMPLE.videoId}.mp4`,
  },
  record: videoRecordSchema,
  requestOf: ({ mediaId }: DownloadRecord) => ({ path: '/api/downloads/video', body: { vidnet_video_id: mediaId } }),
  renderRecord: renderVideo,
  render: inData(renderVideo),
} as const satisfies Kind;
