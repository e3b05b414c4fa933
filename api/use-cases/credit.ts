import {
  type Caller,
  type Hold,
  type AccountQuery,
  renderAccount,
  type AccountResult,
} from '../../contract/http/account-schemas.ts';
import { ApiError } from '../../contract/http/api-error.ts';
import { formatMoney } from '../../contract/money.ts';
import { unauthorized } from '../access/authenticate.ts';
import type { ServiceDeps } from '../service-deps.ts';
import type { UseCase } from '../operations/operation.ts';
import { currentJob } from './current-job.ts';

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
export async function reserve(deps: ServiceDeps, caller: Caller, holds: readonly Hold[]): Promise<boolean> {
  if (caller.kind !== 'key') return true;
  const { id } = caller.key;
  if (await deps.accounts.reserve(id, holds)) return true;
  await checkHolds(deps, id);
  return deps.accounts.reserve(id, holds);
}

/** Gives back what was set aside for a job that was not started. */
export async function release(deps: ServiceDeps, caller: Caller, hold: Hold): Promise<void> {
  if (caller.kind === 'key') await deps.accounts.release(caller.key.id, hold);
}

/** @returns the error of a request that the key cannot pay */
export async function insufficientCredit(deps: ServiceDeps, caller: Caller, price: number): Promise<ApiError> {
  if (caller.kind !== 'key') throw new Error('only keys have credit');
  const { id, name } = caller.key;
  const account = await deps.accounts.get(id);
  const money = { price: formatMoney(price), credit: formatMoney(Math.max(0, account?.available ?? 0)) };
  return new ApiError(
    'insufficient_credit',
    `This costs ${money.price}, and the key "${name}" has ${money.credit} left. Nothing was started.`,
    { money },
  );
}

/** Settles what died with a process: holds whose jobs have ended, or never began. */
async function checkHolds(deps: ServiceDeps, keyId: string): Promise<void> {
  for (const hold of await deps.accounts.oldHolds(keyId, deps.now() - LEFT_BEHIND_MS)) {
    const { recordId, subjectId } = hold;
    const record = await deps.records.get(recordId);
    if (record !== undefined) {
      // Ends the record too when its workflow is gone.
      const { record: newest } = await currentJob(deps, record, 0);
      await deps.accounts.captureHold(newest);
    } else if ((await deps.jobs.status({ subjectId, recordId })).state === 'gone') {
      await deps.accounts.release(keyId, hold);
    }
  }
}

/**
 * GET /api/account: what the caller's key has left, and what its downloads have cost.
 *
 * @throws ApiError `unauthorized` without a key: nobody else has an account
 */
export const getAccount: UseCase<AccountQuery, AccountResult> = async (deps, caller, { limit, cursor }) => {
  if (caller.kind !== 'key') throw unauthorized('Only an API key has an account: Authorization: Bearer td_…');
  const { id } = caller.key;
  await checkHolds(deps, id);
  // The entries first: what ends in between is then missing there, and not counted twice by who adds them up.
  const entries = await deps.accounts.ledger(id, { before: cursor, limit: limit + 1 });
  const account = await deps.accounts.get(id);
  if (account === undefined) throw new ApiError('internal', 'This key has no account.');
  const page = { entries: entries.slice(0, limit), isLast: entries.length <= limit };
  return { state: 'finished', body: renderAccount(caller.key, account, page) };
};
