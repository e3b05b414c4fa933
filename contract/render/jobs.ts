import { formatMoney } from '../money.ts';
import type { FailedRecord, PendingRecord } from '../records.ts';
import type { Progress } from '../results/fields.ts';
import type { FailedResult, PendingResult } from '../results/jobs.ts';

/** A job that runs, where the result is no download record. */
export function renderPending(record: PendingRecord, message: string, progress: Progress | undefined): PendingResult {
  const { id, type, status } = record;
  return {
    status: 'pending',
    message,
    download_id: id,
    cost: formatMoney(record.price),
    download: { id, type, status },
    ...(progress === undefined ? {} : { progress }),
  };
}

/** A job that failed, where the result is no download record. */
export function renderFailed(record: FailedRecord): FailedResult {
  const { id, type, status, failure } = record;
  const cost = formatMoney(0);
  return {
    status: 'failed',
    message: failure.message,
    code: failure.code,
    download_id: id,
    cost,
    download: { id, type, status, cost, response: failure.message, created_at: record.createdAt },
  };
}
