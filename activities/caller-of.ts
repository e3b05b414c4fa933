import type { Caller } from '../contract/http/account-schemas.ts';
import { WITHOUT_KEY } from '../contract/http/webhook-delivery.ts';
import type { KeyStore } from '../store/accounts/key-store.ts';

/** @returns the caller that started a batch or job; undefined if its key was revoked */
export async function callerOf(
  keys: Pick<KeyStore, 'get'>,
  { startedBy }: { readonly startedBy: string },
): Promise<Caller | undefined> {
  if (startedBy === WITHOUT_KEY) return { kind: 'anonymous' };
  if (startedBy === 'service') return { kind: 'service' };
  const key = await keys.get(startedBy);
  if (key === undefined || key.revokedAt !== undefined) return undefined;
  const { id, name, scopes, createdAt } = key;
  return { kind: 'key', key: { id, name, scopes, createdAt } };
}
