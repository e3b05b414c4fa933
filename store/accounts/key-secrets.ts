import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';

const PREFIX = 'td';
const KEY = /^td_([0-9a-f]{16})_([A-Za-z0-9_-]{43})$/;

/** A key of 256 random bits, with an id by which it is found; the whole is shown once. The prefix lets scanners for leaked secrets know it. */
export function makeSecret() {
  const id = randomBytes(8).toString('hex');
  const secret = randomBytes(32).toString('base64url');
  return { id, key: `${PREFIX}_${id}_${secret}`, hash: hashOf(secret) };
}

/** @returns undefined for what does not have the form of a key */
export function parseKey(text: string): { readonly id: string; readonly secret: string } | undefined {
  const [, id, secret] = KEY.exec(text) ?? [];
  return id === undefined || secret === undefined ? undefined : { id, secret };
}

/** Compares without telling by the time it takes how much was right. @param hash of the stored key */
export function isSecretOf(hash: string, secret: string): boolean {
  return timingSafeEqual(Buffer.from(hash, 'hex'), Buffer.from(hashOf(secret), 'hex'));
}

/**
 * SHA-256, and none of the slow hashes that passwords need: those make guessing dear, and 256 random bits cannot be
 * guessed at any speed. A slow one would cost each request some 100 ms of a core, which is an attack of its own.
 */
function hashOf(secret: string): string {
  return createHash('sha256').update(secret).digest('hex');
}
