import { ApiError } from '../../contract/errors.ts';
import type { DownloadResult } from '../../contract/results.ts';
import type { Answer } from '../answer.ts';
import type { ApiDeps } from '../deps.ts';
import { answerDownload } from './rendering.ts';
import { waitForResult } from './request-audio.ts';

/**
 * GET /downloads/{downloadId}: the record, with a fresh link when it is a success and with progress while it is pending.
 *
 * @throws ApiError `not_found`
 */
export async function getDownload(deps: ApiDeps, id: string, waitMs: number): Promise<Answer<DownloadResult>> {
  const record = await deps.records.get(id);
  if (record === undefined) throw new ApiError('not_found', 'There is no download with this id.');
  if (record.status !== 'pending') return answerDownload(deps, record);
  if (waitMs > 0) return waitForResult(deps, record, waitMs);
  return answerDownload(deps, record, await deps.jobs.progressOf(record.subjectId));
}
