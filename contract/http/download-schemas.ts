import { z } from 'zod';
import { costOf } from '../kinds/charges.ts';
import * as fields from './fields.ts';
import { ulidSchema, vidnetVideoIdSchema } from '../ids.ts';
import type { RecordContext } from '../kinds/kind.ts';
import { formatMoney } from '../money.ts';
import { recordStatusSchema, recordTypeSchema, type DownloadRecord } from '../download-record.ts';
import { formatDuration } from '../text/times.ts';

export const vidnetItemSchema = z.object({
  vidnet_video_id: vidnetVideoIdSchema,
  ...fields.jobFields,
});
/** Body of POST /api/downloads/audio and …/video (specification, section 4.2). Unknown fields are ignored. */
export const vidnetDownloadRequestSchema = vidnetItemSchema
  .extend({
    on_duplicate: fields
      .optionalField(z.enum(['error', 'join']))
      .describe('While a job for this video runs: `error` (the default) is 409, `join` adds the webhook to that job'),
  })
  .meta({ id: 'VidnetDownloadRequest' });
export type VidnetDownloadRequest = z.infer<typeof vidnetDownloadRequestSchema>;

export const downloadListQuerySchema = z.object({
  type: recordTypeSchema.optional().describe('Only jobs of this type; `media_info` jobs are listed only by it'),
  status: recordStatusSchema.optional().describe('Only jobs with this status'),
  media_id: z.string().min(1).max(200).optional().describe('Only jobs about this video, channel, account or post'),
  created_after: z.iso.datetime({ offset: true }).optional().describe('Only jobs created at this time or later'),
  created_before: z.iso.datetime({ offset: true }).optional().describe('Only jobs created before this time'),
  limit: fields.pageLimitSchema,
  cursor: ulidSchema.optional().describe(fields.CURSOR_DESCRIPTION),
});
export type DownloadListQuery = z.infer<typeof downloadListQuerySchema>;

/** The fields of all records (specification, section 2.1). */
export const recordFields = {
  id: ulidSchema,
  media_id: z.string(),
  cost: fields.moneySchema.describe(
    'The price of a pending job, or the charge of a finished one; a failed job costs 0.000 unless it was cancelled too late',
  ),
  status: recordStatusSchema,
  created_at: fields.timestampSchema,
  title: z.string().optional().describe('The title on the platform, when it is known; in lists only'),
  response: z.string().nullable().describe('The reason of the failure, if the status is failed'),
  duration: fields.durationSchema
    .nullable()
    .describe('Null until the status is success, and for results without a duration'),
  transcript_speaker_id: ulidSchema
    .nullable()
    .describe('For POST /api/transcriptspeakerid; null for results without sound'),
  transcript_speaker_cost: fields.moneySchema.nullable().describe('Null until the status is success'),
  audio_url: z
    .url()
    .nullable()
    .describe(
      'Signed link to the M4A file; null until the status is success, after its removal, and for results without audio',
    ),
  file_urls: z
    .array(z.url())
    .nullable()
    .describe(
      'Signed links to the files; null until the status is success, after their removal, and for results without files',
    ),
  progress: fields.progressSchema.optional(),
};

export function failedRecordOf<Shape extends z.ZodRawShape>(id: string, record: z.ZodObject<Shape>) {
  return z.object({ data: record.extend({ status: z.literal('failed'), response: z.string() }) }).meta({ id });
}

export const fileFields = {
  files_removed_at: fields.timestampSchema
    .optional()
    .describe('The time at which retention removed the files; a new request fetches them again'),
};

export const vidnetRecordFields = { ...recordFields, vidnet_video_id: vidnetVideoIdSchema };

export const NO_FILES = {
  transcript_speaker_id: null,
  transcript_speaker_cost: null,
  audio_url: null,
  file_urls: null,
};

/** The record of a job without files. The endpoint that started the job returns its result. */
export const factsRecordSchema = z
  .object({
    ...recordFields,
    type: z.enum([
      ...(['imgnet_profile', 'imgnet_post', 'imgnet_list_posts', 'imgnet_list_reels', 'speaker_labels'] as const),
      'media_info',
    ]),
  })
  .meta({ id: 'FactsRecord' });
export type FactsRecord = z.infer<typeof factsRecordSchema>;

export function renderRecordFields(record: DownloadRecord, progress: fields.Progress | undefined) {
  const known = { id: record.id, media_id: record.mediaId, status: record.status, created_at: record.createdAt };
  const response = record.status === 'failed' ? record.failure.message : null;
  return { ...known, cost: formatMoney(costOf(record)), response, progress };
}

export function renderVidnetFields(record: DownloadRecord, progress: fields.Progress | undefined) {
  return { ...renderRecordFields(record, progress), vidnet_video_id: record.mediaId, duration: durationOf(record) };
}

export function renderFactsRecord(type: FactsRecord['type']) {
  return (record: DownloadRecord, _context: RecordContext, progress?: fields.Progress): FactsRecord => ({
    ...renderRecordFields(record, progress),
    type,
    duration: null,
    ...NO_FILES,
  });
}

export function titleOf(record: DownloadRecord): string | undefined {
  return record.status === 'success' ? record.title : undefined;
}

export function durationOf(record: DownloadRecord): string | null {
  return record.status === 'success' && record.durationSeconds !== undefined
    ? formatDuration(record.durationSeconds)
    : null;
}

/** Removed files have no links. */
export function renderFiles(record: DownloadRecord, context: RecordContext) {
  if (record.status !== 'success') return { audio_url: null, file_urls: null };
  const { id, files, filesRemovedAt } = record;
  const links =
    filesRemovedAt === undefined ? files.map(({ name, downloadName }) => context.linkTo(id, name, downloadName)) : null;
  return { files_removed_at: filesRemovedAt, audio_url: links?.[0] ?? null, file_urls: links };
}
