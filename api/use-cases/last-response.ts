import { renderLastResponse, type LastResponse } from '../../contract/job-answers.ts';
import type { DownloadRecord } from '../../contract/records.ts';
import type { ApiDeps } from '../deps.ts';

/** How the last job of a record's subject failed, if that was within the last 30 minutes. */
export async function lastResponseOf(
  deps: Pick<ApiDeps, 'records' | 'now'>,
  { subjectId }: DownloadRecord,
): Promise<LastResponse | undefined> {
  return renderLastResponse(await deps.records.failureOf(subjectId), deps.now());
}
