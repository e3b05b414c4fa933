import type { Caller } from '../../contract/accounts.ts';
import { ApiError } from '../../contract/errors.ts';
import type { DownloadRecord } from '../../contract/records.ts';
import type { DownloadResult } from '../../contract/kinds.ts';
import type { Answer } from '../answer.ts';
import type { ApiDeps } from '../deps.ts';
import { answerDownload, currentJob } from './answers.ts';
import { recordById } from './get-download.ts';
import { subscriberOf } from './own-deliveries.ts';

/** A cancelled job stops its downloads first; most have ended within this time, and the answer then says so. */
const END_WAIT_MS = 5_000;

/**
 * DELETE /downloads/{downloadId}: cancels a pending job. It ends as failed, and its webhooks are told. It costs nothing unless a
 * provider that bills us was asked for it already ({@link chargeOf}).
 *
 * @throws ApiError `not_found`; `forbidden` when somebody else has started it; `already_finished` when there is nothing to cancel
 */
export async function cancelDownload(deps: ApiDeps, id: string): Promise<Answer<DownloadResult>> {
  const record = await recordById(deps, id);
  if (!mayCancel(deps.caller, record)) {
    throw new ApiError('forbidden', 'Only who has started a download can cancel it.');
  }
  const running =
    record.status === 'pending' && (await deps.jobs.cancel({ subjectId: record.subjectId, recordId: id }));
  const now = await currentJob(deps, record, running ? END_WAIT_MS : 0);
  if (!running && now.record.status !== 'pending') {
    throw new ApiError('already_finished', 'The download has ended already; there is nothing to cancel.', { id });
  }
  return answerDownload(deps, now);
}

/**
 * Others may wait for what somebody has started, but only who started it stops it: a key, or callers without a key together.
 * Services of ours, which act for operators, stop all, and they alone stop what another job has started and what nobody is
 * known to have started.
 */
function mayCancel(caller: Caller, { startedBy, chargedTo }: DownloadRecord): boolean {
  if (caller.kind === 'service') return true;
  // Records of older versions tell it of keys only: who pays has started it.
  return subscriberOf(caller) === (startedBy ?? chargedTo);
}
