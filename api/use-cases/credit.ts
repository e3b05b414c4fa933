import type { PageQuery } from '../../contract/http/fields.ts';
import {
  type Caller,
  type CreditReservation,
  renderAccount,
  type AccountResult,
} from '../../contract/http/account-schemas.ts';
import { ApiError } from '../../contract/http/api-error.ts';
import { formatMoney } from '../../contract/money.ts';
import { unauthorized } from '../access/authenticate.ts';
import type { AcceptDeps } from '../service-deps.ts';
import type { UseCase } from '../operations/operation.ts';
import { currentJob } from './current-job.ts';

/** A job starts within seconds after its credit was reserved. An older reservation without a job is from a process that died. */
const LEFT_BEHIND_MS = 10 * 60_000;

/** Reserves the prices of all jobs or of none; only keys are charged. @returns false when the key has too little credit */
export async function reserve(
  deps: AcceptDeps,
  caller: Caller,
  reservations: readonly CreditReservation[],
): Promise<boolean> {
  if (caller.kind !== 'key') return true;
  const { id } = caller.key;
  if (await deps.accounts.reserve(id, reservations)) return true;
  await settleOldReservations(deps, id);
  return deps.accounts.reserve(id, reservations);
}

export async function release(deps: AcceptDeps, caller: Caller, reservation: CreditReservation): Promise<void> {
  if (caller.kind === 'key') await deps.accounts.release(caller.key.id, reservation);
}

export async function insufficientCredit(deps: AcceptDeps, caller: Caller, price: number): Promise<ApiError> {
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

/** Refuses what the credit of a key does not suffice for, before anything is started. */
export async function requireCredit(deps: AcceptDeps, caller: Caller, price: number): Promise<void> {
  if (caller.kind !== 'key') return;
  const account = await deps.accounts.get(caller.key.id);
  if (account?.isUnlimited === false && account.available < price) throw await insufficientCredit(deps, caller, price);
}

/** Captures old reservations of ended jobs, and releases those of jobs that were never started. */
async function settleOldReservations(deps: AcceptDeps, keyId: string): Promise<void> {
  for (const reservation of await deps.accounts.oldReservations(keyId, deps.now() - LEFT_BEHIND_MS)) {
    const { recordId, subjectId } = reservation;
    const record = await deps.records.get(recordId);
    if (record !== undefined) {
      // This ends the record if its workflow is gone.
      const { record: newest } = await currentJob(deps, record, 0);
      await deps.accounts.capture(newest);
    } else if ((await deps.jobs.status({ subjectId, recordId })).state === 'gone') {
      await deps.accounts.release(keyId, reservation);
    }
  }
}

/** GET /api/account: the credit of the caller's key and its ledger. */
export const getAccount: UseCase<PageQuery, AccountResult> = async (deps, caller, { limit, cursor }) => {
  if (caller.kind !== 'key') throw unauthorized('Only an API key has an account: Authorization: Bearer td_…');
  const { id } = caller.key;
  await settleOldReservations(deps, id);
  // The entries are read first: a job that ends in between is then missing in the entries instead of counted twice.
  const entries = await deps.accounts.ledger(id, { before: cursor, limit: limit + 1 });
  const account = await deps.accounts.get(id);
  if (account === undefined) throw new ApiError('internal', 'This key has no account.');
  const page = { entries: entries.slice(0, limit), isLast: entries.length <= limit };
  return { state: 'finished', body: renderAccount(caller.key, account, page) };
};
