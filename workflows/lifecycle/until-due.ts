import { condition } from '@temporalio/workflow';
import type { JobInput } from '../../contract/job-input.ts';
import { whileWaiting } from './while-waiting.ts';

/** Waits until the time before which a job must not begin, or until somebody else wants it at once. */
export async function untilDue({ order }: JobInput, isWantedNow: () => boolean): Promise<void> {
  const until = order?.notBefore;
  if (until === undefined) return;
  const waitMs = Date.parse(until) - Date.now();
  if (waitMs <= 0 || isWantedNow()) return;
  const reason = 'The request names a later time.';
  await whileWaiting({ reason, until }, `Waiting until ${until}.`, () => condition(isWantedNow, waitMs));
}
