import { z } from 'zod';
import { fileFields, linksOf, renderVidnetFields, vidnetRecordFields } from '../downloads.ts';
import type { Progress } from '../fields.ts';
import type { Kind, RecordContext } from '../kind.ts';
import type { DownloadRecord } from '../records.ts';

/** The download record of a video job. */
export const videoRecordSchema = z
  .object({
    ...vidnetRecordFields,
    ...fileFields,
    type: z.literal('vidnet_video'),
    file_urls: z
      .array(z.url())
      .nullable()
      .describe('One signed link to the MP4 file; null until the status is success, and when the file was removed'),
    audio_url: z.null().optional().describe('Present, and null, when the status is failed'),
  })
  .meta({ id: 'VideoRecord' });
export type VideoRecord = z.infer<typeof videoRecordSchema>;

/** Answer of POST /api/downloads/video, and the body of its webhook. */
export const videoResultSchema = z.object({ data: videoRecordSchema }).meta({ id: 'VideoResult' });
export type VideoResult = z.infer<typeof videoResultSchema>;

function renderVideo(record: DownloadRecord, context: RecordContext, progress?: Progress): VideoRecord {
  const shared = { ...renderVidnetFields(record, progress), type: 'vidnet_video' as const };
  switch (record.status) {
    case 'pending':
      return { ...shared, file_urls: null };
    case 'failed':
      return { ...shared, file_urls: null, audio_url: null };
    case 'success':
      return { ...shared, files_removed_at: record.filesRemovedAt, file_urls: linksOf(record, context) };
  }
}

/** The pictures and the sound of a video. */
export const video = {
  workflow: 'video',
  endpoint: 'downloads/video',
  freshness: 'files',
  prices: { video: { setting: 'PRICE_VIDEO', default: '0.010', about: 'Price of a video job' } },
  record: videoRecordSchema,
  renderRecord: renderVideo,
  render: (record: DownloadRecord, context: RecordContext, progress?: Progress): VideoResult => ({
    data: renderVideo(record, context, progress),
  }),
} as const satisfies Kind;
