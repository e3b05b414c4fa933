import { LAST_RESPONSE_MS } from '../limits.ts';
import type { DownloadRecord } from '../records.ts';
import type { LastResponse } from '../results/last-response.ts';

/**
 * @param newestFailure the record of the subject that failed last
 * @param nowMs since 1970
 * @returns undefined when that is 30 minutes ago, or there is none
 */
export function renderLastResponse(newestFailure: DownloadRecord | undefined, nowMs: number): LastResponse | undefined {
  if (newestFailure?.status !== 'failed') return undefined;
  if (nowMs >= Date.parse(newestFailure.finishedAt) + LAST_RESPONSE_MS) return undefined;
  return {
    download_id: newestFailure.id,
    status: 'failed',
    response: newestFailure.failure.message,
    created_at: newestFailure.createdAt,
  };
}
