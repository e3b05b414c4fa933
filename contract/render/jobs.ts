import { chargeOf } from '../charges.ts';
import { formatMoney } from '../money.ts';
import type { DownloadRecord, FailedRecord, PendingRecord } from '../records.ts';
import type { Progress } from '../results/fields.ts';
import type { FailedResult, PendingResult, VidnetFailedResult, VidnetPendingResult } from '../results/jobs.ts';

/** A job that runs, where the result is no download record. */
export function renderPending(record: PendingRecord, message: string, progress: Progress | undefined): PendingResult {
  return {
    status: 'pending',
    message,
    download_id: record.id,
    cost: formatMoney(record.price),
    download: { id: record.id, type: record.type, status: record.status },
    ...(progress === undefined ? {} : { progress }),
  };
}

/** A job that failed, where the result is no download record. */
export function renderFailed(record: FailedRecord): FailedResult {
  const { id, type, status, failure } = record;
  const cost = formatMoney(chargeOf(record));
  return {
    status: 'failed',
    message: failure.message,
    code: failure.code,
    download_id: id,
    cost,
    download: { id, type, status, cost, response: failure.message, created_at: record.createdAt },
  };
}

/** The same two for jobs of the video platform, which say what was asked for. */
export function renderVidnetPending(
  record: PendingRecord,
  message: string,
  progress: Progress | undefined,
): VidnetPendingResult {
  return withVideoId(renderPending(record, message, progress), record);
}

export function renderVidnetFailed(record: FailedRecord): VidnetFailedResult {
  return withVideoId(renderFailed(record), record);
}

function withVideoId<Result extends { readonly download: object }>(
  result: Result,
  { mediaId }: DownloadRecord,
): Result & { download: { vidnet_video_id: string } } {
  return { ...result, download: { ...result.download, vidnet_video_id: mediaId } };
}
