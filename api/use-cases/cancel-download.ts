import { ApiError } from '../../contract/errors.ts';
import type { DownloadResult } from '../../contract/results/downloads.ts';
import type { Answer } from '../answer.ts';
import type { ApiDeps } from '../deps.ts';
import { answerDownload, currentJob } from './answers.ts';
import { recordById } from './get-download.ts';

/** A cancelled job stops its downloads first; most have ended within this time, and the answer then says so. */
const END_WAIT_MS = 5_000;

/**
 * DELETE /downloads/{downloadId}: cancels a pending job. It ends as failed, and its webhooks are told. It costs nothing unless a
 * provider that bills us was asked for it already ({@link chargeOf}).
 *
 * @throws ApiError `not_found`; `forbidden` when another key pays for it; `already_finished` when there is nothing to cancel
 */
export async function cancelDownload(deps: ApiDeps, id: string): Promise<Answer<DownloadResult>> {
  const record = await recordById(deps, id);
  refuseOthers(deps, record.chargedTo);
  const running =
    record.status === 'pending' && (await deps.jobs.cancel({ subjectId: record.subjectId, recordId: id }));
  const now = await currentJob(deps, record, running ? END_WAIT_MS : 0);
  if (!running && now.record.status !== 'pending') {
    throw new ApiError('already_finished', 'The download has ended already; there is nothing to cancel.', { id });
  }
  return answerDownload(deps, now);
}

/** Others may wait for what a key has started, but it is not theirs to stop. */
function refuseOthers({ caller }: ApiDeps, chargedTo: string | undefined): void {
  if (chargedTo === undefined || caller.kind === 'service') return;
  if (caller.kind === 'key' && caller.key.id === chargedTo) return;
  throw new ApiError('forbidden', 'Only the API key that has started a download can cancel it.');
}
