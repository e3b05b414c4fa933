import { formatMoney } from './money.ts';
import { speakerLabelsPrice, type Prices } from './prices.ts';
import type { DownloadRecord } from './records.ts';
import type { AudioRecord, DownloadResult, Progress, VideoRecord } from './results.ts';
import { formatDuration } from './times.ts';

/** What rendering needs beside the record; links are made at the moment of rendering, so they are fresh. */
export interface RenderContext {
  readonly prices: Prices;
  /** @returns a signed link to a published file of a record */
  readonly linkTo: (recordId: string, fileName: string) => string;
}

/**
 * The JSON of a download, the same for the endpoint that started it, GET /downloads/{downloadId} and its webhook.
 *
 * @throws Error for a record of a type that no endpoint renders as a download
 */
export function renderDownload(record: DownloadRecord, context: RenderContext, progress?: Progress): DownloadResult {
  switch (record.type) {
    case 'audio':
      return { data: renderAudio(record, context, progress) };
    case 'vidnet_video':
      return { data: renderVideo(record, context, progress) };
    case 'captions':
    case 'list':
    case 'imgnet_audio':
    case 'imgnet_list_posts':
    case 'imgnet_list_reels':
    case 'imgnet_post':
    case 'imgnet_profile':
      throw new Error(`records of type ${record.type} are not rendered yet`);
  }
}

function renderAudio(record: DownloadRecord, context: RenderContext, progress: Progress | undefined): AudioRecord {
  const shared = { ...sharedFields(record, progress), type: 'audio' as const, transcript_speaker_id: record.id };
  if (record.status !== 'success') return { ...shared, audio_url: null };
  return {
    ...shared,
    transcript_speaker_cost: formatMoney(speakerLabelsPrice(context.prices, record.durationSeconds)),
    audio_url: linksOf(record, context)[0] ?? null,
  };
}

function renderVideo(record: DownloadRecord, context: RenderContext, progress: Progress | undefined): VideoRecord {
  const shared = { ...sharedFields(record, progress), type: 'vidnet_video' as const };
  switch (record.status) {
    case 'pending':
      return { ...shared, file_urls: null };
    case 'failed':
      return { ...shared, file_urls: null, audio_url: null };
    case 'success':
      return { ...shared, file_urls: [...linksOf(record, context)] };
  }
}

function sharedFields(record: DownloadRecord, progress: Progress | undefined) {
  const fields = {
    id: record.id,
    media_id: record.mediaId,
    vidnet_video_id: record.mediaId,
    status: record.status,
    created_at: record.createdAt,
  };
  switch (record.status) {
    case 'pending':
      return {
        ...fields,
        cost: formatMoney(record.price),
        response: null,
        ...(progress === undefined ? {} : { progress }),
      };
    case 'failed':
      return { ...fields, cost: formatMoney(0), response: record.failure.message };
    case 'success':
      return {
        ...fields,
        duration: formatDuration(record.durationSeconds),
        cost: formatMoney(record.charge),
        response: null,
      };
  }
}

function linksOf(record: DownloadRecord & { status: 'success' }, context: RenderContext): readonly string[] {
  return record.files.map((file) => context.linkTo(record.id, file.name));
}
