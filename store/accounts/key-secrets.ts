import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';

/** The prefixes of API keys and of the tokens of feeds. Secret scanners recognize them. */
type SecretPrefix = 'td' | 'tdf';

const KEY = /^(tdf?)_([0-9A-Za-z]{16,26})_([A-Za-z0-9_-]{43})$/;

/** Creates a key of 256 random bits with an ID to find it by. */
export function makeSecret(prefix: SecretPrefix = 'td', id = randomBytes(8).toString('hex')) {
  const secret = randomBytes(32).toString('base64url');
  return { id, key: `${prefix}_${id}_${secret}`, hash: hashOf(secret) };
}

export function parseKey(
  text: string,
  prefix: SecretPrefix = 'td',
): { readonly id: string; readonly secret: string } | undefined {
  const [, kind, id, secret] = KEY.exec(text) ?? [];
  return kind !== prefix || id === undefined || secret === undefined ? undefined : { id, secret };
}

/** Compares in constant time. @param hash of the stored key */
export function isSecretOf(hash: string, secret: string): boolean {
  return timingSafeEqual(Buffer.from(hash, 'hex'), Buffer.from(hashOf(secret), 'hex'));
}

/** A slow hash would not make 256 random bits harder to guess, and its 100 ms would allow denial of service. */
function hashOf(secret: string): string {
  return createHash('sha256').update(secret).digest('hex');
}
