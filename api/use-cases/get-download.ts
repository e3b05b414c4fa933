import { ApiError } from '../../contract/errors.ts';
import type { DownloadRecord } from '../../contract/records.ts';
import type { DownloadResult } from '../../contract/kinds.ts';
import type { Answer } from '../answer.ts';
import type { ApiDeps } from '../deps.ts';
import { answerDownload, currentJob } from './answers.ts';

/**
 * GET /downloads/{downloadId}: the record, with a fresh link when it is a success and with progress while it is pending.
 *
 * @throws ApiError `not_found`
 */
export async function getDownload(deps: ApiDeps, id: string, waitMs: number): Promise<Answer<DownloadResult>> {
  return answerDownload(deps, await currentJob(deps, await recordById(deps, id), waitMs));
}

/** @throws ApiError `not_found` */
export async function recordById(deps: ApiDeps, id: string): Promise<DownloadRecord> {
  const record = await deps.records.get(id);
  if (record === undefined) throw new ApiError('not_found', 'There is no download with this id.');
  return record;
}
