import { formatMoney } from './money.ts';
import { speakerLabelsPrice, type Prices } from './prices.ts';
import type { DownloadRecord } from './records.ts';
import type { DownloadResult, Progress } from './results.ts';
import { formatDuration } from './times.ts';

/** What rendering needs beside the record; links are made at the moment of rendering, so they are fresh. */
export interface RenderContext {
  readonly prices: Prices;
  /** @returns a signed link to a published file of a record */
  readonly linkTo: (recordId: string, fileName: string) => string;
}

/**
 * The JSON of a download, the same for the endpoint that started it, GET /downloads/{downloadId} and its webhook.
 */
export function renderDownload(record: DownloadRecord, context: RenderContext, progress?: Progress): DownloadResult {
  const shared = {
    id: record.id,
    media_id: record.mediaId,
    type: 'audio' as const,
    vidnet_video_id: record.mediaId,
    status: record.status,
    created_at: record.createdAt,
    transcript_speaker_id: record.id,
  };
  switch (record.status) {
    case 'pending':
      return {
        data: {
          ...shared,
          cost: formatMoney(record.price),
          response: null,
          audio_url: null,
          ...(progress === undefined ? {} : { progress }),
        },
      };
    case 'failed':
      return { data: { ...shared, cost: formatMoney(0), response: record.failure.message, audio_url: null } };
    case 'success': {
      const [file] = record.files;
      return {
        data: {
          ...shared,
          duration: formatDuration(record.durationSeconds),
          cost: formatMoney(record.charge),
          response: null,
          transcript_speaker_cost: formatMoney(speakerLabelsPrice(context.prices, record.durationSeconds)),
          audio_url: file === undefined ? null : context.linkTo(record.id, file.name),
        },
      };
    }
  }
}
