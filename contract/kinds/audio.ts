import { z } from 'zod';
import { fileFields, linksOf, renderVidnetFields, vidnetRecordFields } from '../downloads.ts';
import { moneySchema, type Progress } from '../fields.ts';
import { ulidSchema } from '../ids.ts';
import type { Kind, RecordContext } from '../kind.ts';
import { formatMoney } from '../money.ts';
import type { DownloadRecord } from '../records.ts';
import { speakerLabelsPrice } from './speaker-labels.ts';

/** The download record of an audio job. */
export const audioRecordSchema = z
  .object({
    ...vidnetRecordFields,
    ...fileFields,
    type: z.literal('audio'),
    transcript_speaker_id: ulidSchema,
    transcript_speaker_cost: moneySchema.optional().describe('Present once the status is success'),
    audio_url: z
      .url()
      .nullable()
      .describe('Signed link to the M4A file; null until the status is success, and when the file was removed'),
  })
  .meta({ id: 'AudioRecord' });
export type AudioRecord = z.infer<typeof audioRecordSchema>;

/** Answer of POST /api/downloads/audio, and the body of its webhook. */
export const audioResultSchema = z.object({ data: audioRecordSchema }).meta({ id: 'AudioResult' });
export type AudioResult = z.infer<typeof audioResultSchema>;

function renderAudio(record: DownloadRecord, context: RecordContext, progress?: Progress): AudioRecord {
  const shared = {
    ...renderVidnetFields(record, progress),
    type: 'audio' as const,
    transcript_speaker_id: record.id,
  };
  if (record.status !== 'success') return { ...shared, audio_url: null };
  return {
    ...shared,
    transcript_speaker_cost: formatMoney(speakerLabelsPrice(context.prices, record.durationSeconds ?? 0)),
    files_removed_at: record.filesRemovedAt,
    audio_url: linksOf(record, context)?.[0] ?? null,
  };
}

/** The audio of a video. */
export const audio = {
  workflow: 'audio',
  endpoint: 'downloads/audio',
  freshness: 'files',
  prices: { audio: { setting: 'PRICE_AUDIO', default: '0.005', about: 'Price of an audio job' } },
  record: audioRecordSchema,
  renderRecord: renderAudio,
  render: (record: DownloadRecord, context: RecordContext, progress?: Progress): AudioResult => ({
    data: renderAudio(record, context, progress),
  }),
} as const satisfies Kind;
