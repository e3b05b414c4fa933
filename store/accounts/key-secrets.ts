import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';

const PREFIX = 'td';
const KEY = /^td_([0-9a-f]{16})_([A-Za-z0-9_-]{43})$/;

/** Creates a key of 256 random bits with an ID to find it by. The prefix lets secret scanners recognize it. */
export function makeSecret() {
  const id = randomBytes(8).toString('hex');
  const secret = randomBytes(32).toString('base64url');
  return { id, key: `${PREFIX}_${id}_${secret}`, hash: hashOf(secret) };
}

export function parseKey(text: string): { readonly id: string; readonly secret: string } | undefined {
  const [, id, secret] = KEY.exec(text) ?? [];
  return id === undefined || secret === undefined ? undefined : { id, secret };
}

/** Compares in constant time. @param hash of the stored key */
export function isSecretOf(hash: string, secret: string): boolean {
  return timingSafeEqual(Buffer.from(hash, 'hex'), Buffer.from(hashOf(secret), 'hex'));
}

/** A slow hash would not make 256 random bits harder to guess, and its 100 ms would allow denial of service. */
function hashOf(secret: string): string {
  return createHash('sha256').update(secret).digest('hex');
}
