import { createHash, timingSafeEqual } from 'node:crypto';
import type { Caller } from '../../contract/http/account-schemas.ts';
import { ApiError } from '../../contract/http/api-error.ts';
import { createRecentCache } from '../../runtime/recent-cache.ts';
import { isSecretOf, parseKey } from '../../store/accounts/key-secrets.ts';
import type { KeyStore, StoredKey } from '../../store/accounts/key-store.ts';

interface AuthenticateOptions {
  readonly keys: Pick<KeyStore, 'get'>;
  /** Whether a key is optional. A key that is sent must be valid in any case. */
  readonly allowsAnonymous: boolean;
  readonly elapsed: () => number;
}

/** How long a process caches a key. Open event streams check theirs as often, so a revoked key works for twice this at most. */
export const KEY_KNOWN_MS = 2_500;
const CACHED_MAX = 1_000;

const MALFORMED = 'The Authorization header must be: Bearer, a space, an API key.';

export type Authenticate = (authorization: string | null) => Promise<Caller>;

export function createAuthenticate({ keys, allowsAnonymous, elapsed }: AuthenticateOptions): Authenticate {
  const cached = createRecentCache<StoredKey>({ keptMs: KEY_KNOWN_MS, most: CACHED_MAX, now: elapsed });
  const find = async (id: string): Promise<StoredKey | undefined> => {
    const known = cached.get(id);
    if (known !== undefined) return known;
    const key = await keys.get(id);
    return key && cached.keep(id, key);
  };
  return async (authorization) => {
    if (authorization === null || !isMeantAsKey(authorization)) {
      if (allowsAnonymous) return { kind: 'anonymous' };
      const need = 'An API key is needed: Authorization: Bearer td_…';
      throw unauthorized(authorization === null ? need : MALFORMED);
    }
    const text = /^Bearer +(\S+) *$/i.exec(authorization)?.[1];
    const given = text === undefined ? undefined : parseKey(text);
    if (given === undefined) throw unauthorized(MALFORMED);
    const key = await find(given.id);
    // All invalid keys get the same message, so that it does not reveal which IDs exist.
    if (key === undefined || !isSecretOf(key.hash, given.secret) || key.revokedAt !== undefined) {
      throw unauthorized('This API key is not valid.', 'error="invalid_token"');
    }
    const { id, name, scopes, createdAt } = key;
    return { kind: 'key', key: { id, name, scopes, createdAt } };
  };
}

/** Compares two secrets in constant time, whatever their lengths. */
export function isSameSecret(given: string, expected: string): boolean {
  const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(given), digest(expected));
}

/** A mistyped key must be an error: otherwise the caller's jobs would be anonymous without notice. */
export function isMeantAsKey(authorization: string): boolean {
  return /^(?:\S+ +)?td_/i.test(authorization);
}

/** @param error the error of the challenge, only if a key was sent (RFC 6750) */
export function unauthorized(message: string, error?: string): ApiError {
  const challenge = ['Bearer realm="tapedeck"', ...(error === undefined ? [] : [error])].join(', ');
  return new ApiError('unauthorized', message, { headers: { 'WWW-Authenticate': challenge } });
}
