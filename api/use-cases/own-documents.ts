import type { Caller } from '../../contract/http/account-schemas.ts';
import { ApiError } from '../../contract/http/api-error.ts';
import type { PageQuery } from '../../contract/http/fields.ts';
import type { OwnedPage } from '../../store/records/owned-documents.ts';
import { subscriberOf } from './subscribers.ts';

interface Owned {
  readonly id: string;
  readonly startedBy: string;
}

/** Internal services may use what all callers have created. */
export function isOwn(caller: Caller, { startedBy }: Pick<Owned, 'startedBy'>): boolean {
  return caller.kind === 'service' || startedBy === subscriberOf(caller);
}

/** @param what for the error; documents of others are answered like unknown ones */
export async function ownOf<Stored extends Owned>(
  store: { readonly get: (id: string) => Promise<Stored | undefined> },
  caller: Caller,
  { id, what }: { readonly id: string; readonly what: string },
): Promise<Stored> {
  const found = await store.get(id);
  if (found === undefined || !isOwn(caller, found))
    throw new ApiError('not_found', `There is no ${what} with this id.`);
  return found;
}

/** @returns a page of what the caller has created, newest first, and the cursor of the next one */
export async function ownPageOf<Stored extends Owned>(
  store: { readonly list: (page: OwnedPage) => Promise<readonly Stored[]> },
  caller: Caller,
  { limit, cursor: before }: PageQuery,
): Promise<{ readonly shown: readonly Stored[]; readonly next: string | null }> {
  const startedBy = caller.kind === 'service' ? undefined : subscriberOf(caller);
  const found = await store.list({ startedBy, before, limit: limit + 1 });
  const shown = found.slice(0, limit);
  return { shown, next: found.length > limit ? (shown.at(-1)?.id ?? null) : null };
}
