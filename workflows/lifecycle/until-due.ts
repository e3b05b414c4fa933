import { condition, setCurrentDetails, upsertMemo } from '@temporalio/workflow';
import { MEMO_WAITING, type JobInput } from '../../contract/job-input.ts';

/** Waits until the time before which a job must not begin, or until somebody else wants it at once. */
export async function untilDue({ order }: JobInput, isWantedNow: () => boolean): Promise<void> {
  const until = order?.notBefore;
  if (until === undefined) return;
  const waitMs = Date.parse(until) - Date.now();
  if (waitMs <= 0 || isWantedNow()) return;
  upsertMemo({ [MEMO_WAITING]: { reason: 'The request names a later time.', until } });
  setCurrentDetails(`Waiting until ${until}.`);
  try {
    await condition(isWantedNow, waitMs);
  } finally {
    upsertMemo({ [MEMO_WAITING]: undefined });
  }
}
