import { chargeOf } from '../charges.ts';
import { formatMoney } from '../money.ts';
import { speakerLabelsPrice } from '../prices.ts';
import type { DownloadRecord, SuccessRecord } from '../records.ts';
import type {
  AudioRecord,
  CaptionsRecord,
  ChannelRecord,
  DownloadResult,
  FactsRecord,
  ImgnetAudioRecord,
  VideoRecord,
} from '../results/downloads.ts';
import type { Progress } from '../results/fields.ts';
import { formatDuration } from '../times.ts';
import type { RenderContext } from './context.ts';

type LinkContext = Pick<RenderContext, 'prices' | 'linkTo'>;

/**
 * The download record of any job, as GET /downloads/{downloadId} and the list of downloads show it.
 */
export function renderDownload(record: DownloadRecord, context: LinkContext, progress?: Progress): DownloadResult {
  switch (record.type) {
    case 'audio':
      return { data: renderAudio(record, context, progress) };
    case 'vidnet_video':
      return { data: renderVideo(record, context, progress) };
    case 'captions':
      return { data: renderCaptions(record, progress) };
    case 'list':
      return { data: renderChannel(record, progress) };
    case 'imgnet_list_posts':
    case 'imgnet_list_reels':
    case 'imgnet_post':
    case 'imgnet_profile':
    case 'speaker_labels':
      return { data: renderFacts(record, record.type, progress) };
    case 'imgnet_audio':
      return { data: renderImgnetAudio(record, context, progress) };
  }
}

function renderAudio(record: DownloadRecord, context: LinkContext, progress: Progress | undefined): AudioRecord {
  const shared = { ...vidnetFields(record, progress), type: 'audio' as const, transcript_speaker_id: record.id };
  if (record.status !== 'success') return { ...shared, audio_url: null };
  return {
    ...shared,
    transcript_speaker_cost: formatMoney(speakerLabelsPrice(context.prices, record.durationSeconds ?? 0)),
    ...removalOf(record),
    audio_url: linksOf(record, context)?.[0] ?? null,
  };
}

function renderVideo(record: DownloadRecord, context: LinkContext, progress: Progress | undefined): VideoRecord {
  const shared = { ...vidnetFields(record, progress), type: 'vidnet_video' as const };
  switch (record.status) {
    case 'pending':
      return { ...shared, file_urls: null };
    case 'failed':
      return { ...shared, file_urls: null, audio_url: null };
    case 'success':
      return { ...shared, ...removalOf(record), file_urls: linksOf(record, context) };
  }
}

function renderCaptions(record: DownloadRecord, progress: Progress | undefined): CaptionsRecord {
  const { parameters } = record;
  const language = parameters !== undefined && 'language' in parameters ? parameters.language : '';
  return { ...vidnetFields(record, progress), type: 'captions', language };
}

function renderChannel(record: DownloadRecord, progress: Progress | undefined): ChannelRecord {
  return { ...sharedFields(record, progress), vidnet_video_id: record.mediaId, type: 'list' };
}

/** The audio of a post or reel; its first file stands for it where only one can. */
export function renderImgnetAudio(
  record: DownloadRecord,
  context: LinkContext,
  progress?: Progress,
): ImgnetAudioRecord {
  const shared = {
    ...sharedFields(record, progress),
    type: 'imgnet_audio' as const,
    transcript_speaker_id: record.id,
  };
  if (record.status !== 'success') return { ...shared, audio_url: null, file_urls: null };
  const { durationSeconds } = record;
  const links = linksOf(record, context);
  return {
    ...shared,
    ...(durationSeconds === undefined ? {} : { duration: formatDuration(durationSeconds) }),
    transcript_speaker_cost: formatMoney(speakerLabelsPrice(context.prices, durationSeconds ?? 0)),
    ...removalOf(record),
    audio_url: links?.[0] ?? null,
    file_urls: links,
  };
}

function renderFacts(record: DownloadRecord, type: FactsRecord['type'], progress: Progress | undefined): FactsRecord {
  return { ...sharedFields(record, progress), type };
}

function vidnetFields(record: DownloadRecord, progress: Progress | undefined) {
  const known = record.status === 'success' && record.durationSeconds !== undefined;
  return {
    ...sharedFields(record, progress),
    vidnet_video_id: record.mediaId,
    ...(known ? { duration: formatDuration(record.durationSeconds) } : {}),
  };
}

function sharedFields(record: DownloadRecord, progress: Progress | undefined) {
  const fields = { id: record.id, media_id: record.mediaId, status: record.status, created_at: record.createdAt };
  switch (record.status) {
    case 'pending':
      return {
        ...fields,
        cost: formatMoney(record.price),
        response: null,
        ...(progress === undefined ? {} : { progress }),
      };
    case 'failed':
      return { ...fields, cost: formatMoney(chargeOf(record)), response: record.failure.message };
    case 'success':
      return { ...fields, cost: formatMoney(record.charge), response: null };
  }
}

/** @returns null when the files were removed: a link promises a file */
function linksOf(record: SuccessRecord, context: LinkContext): string[] | null {
  if (record.filesRemovedAt !== undefined) return null;
  return record.files.map((file) => context.linkTo(record.id, file.name));
}

function removalOf({ filesRemovedAt }: SuccessRecord): { files_removed_at?: string } {
  return filesRemovedAt === undefined ? {} : { files_removed_at: filesRemovedAt };
}
