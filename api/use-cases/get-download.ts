import { ApiError } from '../../contract/errors.ts';
import { STOPPED_BY_OPERATOR } from '../../contract/failures.ts';
import type { DownloadRecord } from '../../contract/records.ts';
import type { DownloadResult } from '../../contract/results.ts';
import type { Answer } from '../answer.ts';
import { nowMicroseconds } from '../../store/clock.ts';
import type { ApiDeps } from '../deps.ts';
import { answerDownload } from './rendering.ts';
import { waitForResult } from './request-vidnet-download.ts';

/**
 * GET /downloads/{downloadId}: the record, with a fresh link when it is a success and with progress while it is pending.
 *
 * @throws ApiError `not_found`
 */
export async function getDownload(deps: ApiDeps, id: string, waitMs: number): Promise<Answer<DownloadResult>> {
  const record = await deps.records.get(id);
  if (record === undefined) throw new ApiError('not_found', 'There is no download with this id.');
  if (record.status !== 'pending') return answerDownload(deps, record);
  if (waitMs > 0) {
    const waited = await waitForResult(deps, record, waitMs);
    if (waited.state === 'finished') return waited;
  }
  const view = await deps.jobs.look({ subjectId: record.subjectId, recordId: id });
  if (view.state === 'gone') return answerDownload(deps, await endOrphan(deps, record));
  return answerDownload(deps, record, view.state === 'running' ? view.progress : undefined);
}

/**
 * A workflow ends its record before it closes. If none runs and the record is still pending, the workflow was
 * terminated, or Temporal lost its data: without this the caller would poll for ever.
 */
async function endOrphan(deps: ApiDeps, record: DownloadRecord): Promise<DownloadRecord> {
  return deps.records.finish(record.id, { status: 'failed', failure: STOPPED_BY_OPERATOR }, nowMicroseconds());
}
