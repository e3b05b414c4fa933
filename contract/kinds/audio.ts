import { z } from 'zod';
import { fileFields, renderFiles, renderVidnetFields, vidnetRecordFields } from '../http/download-schemas.ts';
import { ulidSchema, vidnetVideoIdSchema } from '../ids.ts';
import { inData, type Kind, type RenderRecord } from './kind.ts';
import type { DownloadRecord } from '../download-record.ts';
import { labelsCostOf } from './sound.ts';
import { jobBaseSchema } from '../job-schema.ts';
import { SAMPLE } from './sample.ts';

export const audioRecordSchema = z
  .object({
    ...vidnetRecordFields,
    ...fileFields,
    type: z.literal('audio'),
    transcript_speaker_id: ulidSchema,
  })
  .meta({ id: 'AudioRecord' });
export type AudioRecord = z.infer<typeof audioRecordSchema>;

export const audioResultSchema = z.object({ data: audioRecordSchema }).meta({ id: 'AudioResult' });
export type AudioResult = z.infer<typeof audioResultSchema>;

const renderAudio: RenderRecord<AudioRecord> = (record, context, progress) => ({
  ...renderVidnetFields(record, progress),
  type: 'audio',
  transcript_speaker_id: record.id,
  transcript_speaker_cost: labelsCostOf(record, context.prices),
  ...renderFiles(record, context),
});

export const audio = {
  workflow: 'audio',
  endpoint: 'downloads/audio',
  freshness: 'files',
  prices: { audio: { setting: 'PRICE_AUDIO', default: '0.005', about: 'Price of an audio job' } },
  job: jobBaseSchema.extend({ type: z.literal('audio'), mediaId: vidnetVideoIdSchema }),
  sample: { mediaId: SAMPLE.videoId, failure: ['private', 'The video is private.'], file: `${SAMPLE.videoId}.m4a` },
  record: audioRecordSchema,
  requestOf: ({ mediaId }: DownloadRecord) => ({ path: '/api/downloads/audio', body: { vidnet_video_id: mediaId } }),
  renderRecord: renderAudio,
  render: inData(renderAudio),
} as const satisfies Kind;
