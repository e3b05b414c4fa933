import { ApiError } from '../../contract/errors.ts';
import type { Hold } from '../../contract/accounts.ts';
import { formatMoney } from '../../contract/money.ts';
import type { ApiDeps } from '../deps.ts';
import { currentJob } from './answers.ts';

/**
 * Between setting money aside and the start of its job lie two calls of some seconds at most. A hold that is much older, and
 * whose job is not there, is what a process left that died in between.
 */
const LEFT_BEHIND_MS = 10 * 60_000;

/**
 * Sets aside what jobs cost, all of them or none. Callers without a key have no account, and pay nothing here.
 *
 * @returns false when the key cannot pay them
 */
export async function reserve(deps: ApiDeps, holds: readonly Hold[]): Promise<boolean> {
  if (deps.caller.kind !== 'key') return true;
  const { id } = deps.caller.key;
  if (await deps.accounts.reserve(id, holds)) return true;
  await checkHolds(deps, id);
  return deps.accounts.reserve(id, holds);
}

/** Gives back what was set aside for a job that was not started. */
export async function release(deps: ApiDeps, recordId: string): Promise<void> {
  if (deps.caller.kind === 'key') await deps.accounts.release(deps.caller.key.id, recordId);
}

/** @returns the error of a request that the key cannot pay */
export async function insufficientCredit(deps: ApiDeps, price: number): Promise<ApiError> {
  if (deps.caller.kind !== 'key') throw new Error('only keys have credit');
  const { id, name } = deps.caller.key;
  const account = await deps.accounts.get(id);
  const money = { price: formatMoney(price), credit: formatMoney(Math.max(0, account?.available ?? 0)) };
  return new ApiError(
    'insufficient_credit',
    `This costs ${money.price}, and the key "${name}" has ${money.credit} left. Nothing was started.`,
    { money },
  );
}

/** Settles what died with a process: holds whose jobs have ended, or never began. */
export async function checkHolds(deps: ApiDeps, keyId: string): Promise<void> {
  const account = await deps.accounts.get(keyId);
  const old = account?.holds.filter(({ heldAtMs }) => deps.now() > heldAtMs + LEFT_BEHIND_MS) ?? [];
  for (const { recordId, subjectId } of old) {
    const record = await deps.records.get(recordId);
    if (record !== undefined) {
      // Ends the record too when its workflow is gone.
      const { record: newest } = await currentJob(deps, record, 0);
      await deps.accounts.captureHold(newest);
    } else if ((await deps.jobs.look({ subjectId, recordId })).state === 'gone') {
      await deps.accounts.release(keyId, recordId);
    }
  }
}
