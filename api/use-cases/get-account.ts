import { ApiError } from '../../contract/errors.ts';
import { formatMoney } from '../../contract/money.ts';
import { type AccountQuery, accountSchema, type AccountResult } from '../../contract/accounts.ts';
import { unauthorized } from '../access/authenticate.ts';
import type { Answer } from '../answer.ts';
import type { ApiDeps } from '../deps.ts';
import { checkHolds } from './credit.ts';

/**
 * GET /api/account: what the caller's key has left, and what its downloads have cost.
 *
 * @throws ApiError `unauthorized` without a key: nobody else has an account
 */
export async function getAccount(deps: ApiDeps, { limit, cursor }: AccountQuery): Promise<Answer<AccountResult>> {
  if (deps.caller.kind !== 'key') throw unauthorized('Only an API key has an account: Authorization: Bearer td_…');
  const { id, name, scopes, createdAt } = deps.caller.key;
  await checkHolds(deps, id);
  // The entries first: what ends in between is then missing there, and not counted twice by who adds them up.
  const entries = await deps.accounts.ledger(id, { before: cursor, limit: limit + 1 });
  const account = await deps.accounts.get(id);
  if (account === undefined) throw new ApiError('internal', 'This key has no account.');
  const shown = entries.slice(0, limit);
  const body = {
    key: { id, name, scopes, created_at: createdAt },
    credit: account.isUnlimited ? null : formatMoney(account.available),
    reserved: formatMoney(account.holds.reduce((sum, { amount }) => sum + amount, 0)),
    spent: formatMoney(account.spent),
    entries: shown.map(({ recordId, type, mediaId, amount, bookedAt }) => ({
      ...{ download_id: recordId, type, media_id: mediaId },
      ...{ amount: formatMoney(amount), booked_at: bookedAt },
    })),
    next_cursor: entries.length > limit ? shown.at(-1)?.recordId : null,
  };
  return { state: 'finished', body: accountSchema.parse(body) };
}
