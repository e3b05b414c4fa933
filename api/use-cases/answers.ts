import { STOPPED_BY_OPERATOR } from '../../contract/failures.ts';
import type { DownloadRecord } from '../../contract/records.ts';
import { renderDownload, type DownloadResult } from '../../contract/kinds.ts';
import type { Progress } from '../../contract/fields.ts';
import { finishRecord } from '../../store/finish-record.ts';
import type { Answer } from '../answer.ts';
import type { ApiDeps } from '../deps.ts';

/** A record as it is now, and what its job does while it runs. */
export interface CurrentJob {
  readonly record: DownloadRecord;
  readonly progress?: Progress | undefined;
}

/** Waits for a pending record's job to end, but not longer than that, and looks how it stands. */
export async function currentJob(deps: ApiDeps, record: DownloadRecord, waitMs: number): Promise<CurrentJob> {
  let newest = record;
  if (newest.status === 'pending' && waitMs > 0) {
    // Whoever waits while the process is about to stop is told how things stand, and not cut off.
    await deps.jobs.waitFor(record.subjectId, waitMs, deps.stopping);
    newest = (await deps.records.get(record.id)) ?? record;
  }
  if (newest.status !== 'pending') return { record: newest };
  const view = await deps.jobs.look({ subjectId: record.subjectId, recordId: record.id });
  if (view.state === 'gone') return { record: await endOrphan(deps, newest) };
  return { record: newest, progress: view.state === 'running' ? view.progress : undefined };
}

/** The download record of a job, as GET /downloads/{downloadId} shows it. */
export function answerDownload(deps: ApiDeps, { record, progress }: CurrentJob): Answer<DownloadResult> {
  return { state: stateOf(record), body: renderDownload(record, deps.rendering, progress) };
}

export function stateOf(record: DownloadRecord): 'pending' | 'finished' {
  return record.status === 'pending' ? 'pending' : 'finished';
}

/**
 * A workflow ends its record before it closes. If none runs and the record is still pending, the workflow was
 * terminated, or Temporal lost its data: without this the caller would poll for ever.
 */
async function endOrphan(deps: ApiDeps, record: DownloadRecord): Promise<DownloadRecord> {
  return finishRecord(deps.records, record.id, { status: 'failed', failure: STOPPED_BY_OPERATOR });
}
