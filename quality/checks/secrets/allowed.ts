import { createHash } from 'node:crypto';

/** A found value that is no secret. */
interface Allowed {
  /** Begin of the paths where it may stand. */
  readonly below: string;
  /** SHA-256 of the value in hex, or what it looks like. */
  readonly value: string | RegExp;
  readonly why: string;
}

const ALLOWED: readonly Allowed[] = [
  {
    below: 'test/',
    value: '7c293406055a5cf54b7cd68a9b2c8ef722955befc617ae7f5b32fa209f348a39',
    why: 'the digits from 0 up, in base64',
  },
  {
    below: 'test/',
    value: '8f71c03b4c432c934a022dcf48024eb0c65c479bf62f6eaba413302d92efae6d',
    why: 'the digits from 9 down, in base64',
  },
  {
    below: 'test/',
    value: 'fbe76c45e0b3e779c0bc7ac7dff2fc93d7ceeb64fc6b64adaac822ce00d225fe',
    why: 'a sentence that says that it is a key',
  },
  {
    below: 'test/',
    value: /^[a-z]+:\/\/\w*:(?:secret|pass|password)@/,
    why: 'addresses with a user, which must be refused: their passwords are these words',
  },
];

export function isAllowed(path: string, value: string): boolean {
  const hash = createHash('sha256').update(value).digest('hex');
  return ALLOWED.some(
    (entry) =>
      path.startsWith(entry.below) && (entry.value instanceof RegExp ? entry.value.test(value) : entry.value === hash),
  );
}
