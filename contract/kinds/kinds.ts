import { z } from 'zod';
import { titleOf } from '../http/download-schemas.ts';
import type { Progress } from '../http/fields.ts';
import type { Kind, RecordContext, RenderContext } from './kind.ts';
import { failedResultSchema, vidnetFailedResultSchema, vidnetPendingResultSchema } from '../http/job-answers.ts';
import { audio, audioResultSchema } from './audio.ts';
import { channel, channelProfileSchema } from './channel.ts';
import { imgnetAudio, imgnetAudioResultSchema } from './imgnet-audio.ts';
import { imgnetContent, imgnetContentPendingSchema, imgnetPostSchema, imgnetReelSchema } from './imgnet-content.ts';
import { imgnetListPosts, imgnetListReels, imgnetListResultSchema } from './imgnet-list.ts';
import { imgnetProfile, imgnetProfilePendingSchema, imgnetProfileSchema } from './imgnet-profile.ts';
import { media, mediaResultSchema } from './media.ts';
import { mediaInfo, mediaInfoSchema } from './media-info.ts';
import { speakerLabels, speakerLabelsResultSchema } from './speaker-labels.ts';
import { transcript, transcriptSchema } from './transcript.ts';
import { upload, uploadResultSchema } from './upload.ts';
import { video, videoResultSchema } from './video.ts';
import type { DownloadRecord, RecordType } from '../download-record.ts';

export const kinds = {
  audio,
  vidnet_video: video,
  list: channel,
  captions: transcript,
  imgnet_profile: imgnetProfile,
  imgnet_post: imgnetContent,
  imgnet_list_posts: imgnetListPosts,
  imgnet_list_reels: imgnetListReels,
  imgnet_audio: imgnetAudio,
  speaker_labels: speakerLabels,
  media,
  media_info: mediaInfo,
  upload,
} as const satisfies Record<RecordType, Kind>;

type Kinds = typeof kinds;
export type JobWorkflow = Kinds[RecordType]['workflow'];
export type ResultOf<Type extends RecordType> = Awaited<ReturnType<Kinds[Type]['render']>>;
export type JobResultBody = ResultOf<RecordType>;

export async function renderResult(
  record: DownloadRecord,
  context: RenderContext,
  progress?: Progress,
): Promise<JobResultBody> {
  return kinds[record.type].render(record, context, progress);
}

export const jobResultSchema = z
  .union([
    audioResultSchema,
    videoResultSchema,
    mediaResultSchema,
    mediaInfoSchema,
    uploadResultSchema,
    channelProfileSchema,
    transcriptSchema,
    vidnetPendingResultSchema,
    vidnetFailedResultSchema,
    imgnetProfileSchema,
    imgnetProfilePendingSchema,
    imgnetPostSchema,
    imgnetReelSchema,
    imgnetContentPendingSchema,
    failedResultSchema,
    imgnetListResultSchema,
    imgnetAudioResultSchema,
    speakerLabelsResultSchema,
  ])
  .meta({ id: 'JobResult' });

const recordSchemas = new Set(Object.values(kinds).map(({ record }) => record));
export const downloadRecordSchema = z
  // Kinds without files share a schema, and the list must not be empty for its type.
  .discriminatedUnion('type', [...recordSchemas] as [Kinds[RecordType]['record']])
  .meta({ id: 'DownloadRecord' });

export const downloadResultSchema = z.object({ data: downloadRecordSchema }).meta({ id: 'DownloadResult' });
export type DownloadResult = z.infer<typeof downloadResultSchema>;

/** Answer of GET /api/downloads: a page of records, newest first. */
export const downloadListSchema = z
  .object({
    downloads: z.array(downloadRecordSchema),
    next_cursor: z.string().nullable().describe('Where the list goes on; null on the last page'),
  })
  .meta({ id: 'DownloadList' });
export type DownloadList = z.infer<typeof downloadListSchema>;

/** The download record of any job, as GET /downloads/{downloadId} shows it. */
export function renderDownload(record: DownloadRecord, context: RecordContext, progress?: Progress): DownloadResult {
  return { data: kinds[record.type].renderRecord(record, context, progress) };
}

/** The download record in lists, with its title. The answers of the specification have no title. */
export function renderListed(record: DownloadRecord, context: RecordContext, progress?: Progress): DownloadResult {
  const { data } = renderDownload(record, context, progress);
  const title = titleOf(record);
  return { data: title === undefined ? data : { ...data, title } };
}
