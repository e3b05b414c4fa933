import fc from 'fast-check';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { createLinkSigner } from '../../store/files/link-signer.ts';

const ID = '01JD5Z3K6VQ0W8R9T2X4Y6B8CD';
const signer = createLinkSigner({ secrets: ['s'.repeat(32)], driveUrl: 'https://drive.example', ttlSeconds: 3600 });

function parts(link: string) {
  const url = new URL(link);
  return { path: url.pathname, expires: url.searchParams.get('Expires'), signature: url.searchParams.get('Signature') };
}
const isValid = ({ path, expires, signature }: ReturnType<typeof parts>): boolean =>
  signer.isValid(path, { expires, signature });

afterEach(() => void vi.useRealTimers());

describe('signed links', () => {
  it('are valid until they expire', () => {
    vi.useFakeTimers({ now: 1_800_000_000_000 });
    const link = parts(signer.linkTo(ID, 'a.m4a'));
    expect(link.expires).toBe('1800003600');
    expect(isValid(link)).toBe(true);
    vi.setSystemTime(1_800_003_599_000);
    expect(isValid(link)).toBe(true);
    vi.setSystemTime(1_800_003_600_000);
    expect(isValid(link)).toBe(false);
  });

  it('are refused when one character is changed', () => {
    const link = parts(signer.linkTo(ID, 'a.m4a'));
    const keys = ['path', 'expires', 'signature'] as const;
    fc.assert(
      fc.property(
        fc.constantFrom(...keys),
        fc.nat(100),
        fc.string({ unit: 'binary-ascii', minLength: 1, maxLength: 1 }),
        (key, at, character) => {
          const text = link[key] ?? '';
          const changed = text.slice(0, at % text.length) + character + text.slice((at % text.length) + 1);
          return changed === text || !isValid({ ...link, [key]: changed });
        },
      ),
      { numRuns: 5_000 },
    );
  });

  it('are refused with padding, an extra or missing character, another secret, a missing part or another file', () => {
    const link = parts(signer.linkTo(ID, 'a.m4a'));
    const other = createLinkSigner({ secrets: ['t'.repeat(32)], driveUrl: 'https://drive.example', ttlSeconds: 3600 });
    expect(isValid({ ...link, signature: `${link.signature ?? ''}=` })).toBe(false);
    expect(isValid({ ...link, signature: `A${link.signature ?? ''}` })).toBe(false);
    expect(isValid({ ...link, signature: link.signature?.slice(1) ?? null })).toBe(false);
    expect(isValid({ ...link, signature: `${link.signature ?? ''}A` })).toBe(false);
    expect(isValid({ ...link, signature: null })).toBe(false);
    expect(isValid({ ...link, expires: null })).toBe(false);
    expect(isValid({ ...link, path: link.path.replace('a.m4a', 'b.m4a') })).toBe(false);
    expect(isValid(parts(other.linkTo(ID, 'a.m4a')))).toBe(false);
  });

  it('have only one valid last character, although it has unused bits', () => {
    const link = parts(signer.linkTo(ID, 'a.m4a'));
    const characters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
    const spellings = Array.from(characters, (last) => `${link.signature?.slice(0, -1) ?? ''}${last}`);
    const valid = spellings.filter((signature) => isValid({ ...link, signature }));
    expect(valid).toEqual([link.signature]);
  });

  it('cannot be created without a secret', () => {
    expect(() => createLinkSigner({ secrets: [], driveUrl: 'https://drive.example', ttlSeconds: 60 })).toThrow();
  });

  it('outlive a rotation of secrets: the first secret signs, and all are accepted', () => {
    const [old, young] = ['s'.repeat(32), 't'.repeat(32)];
    const make = (...secrets: string[]) =>
      createLinkSigner({ secrets, driveUrl: 'https://drive.example', ttlSeconds: 60 });
    const isValidFor = (judge: ReturnType<typeof make>, { path, ...query }: ReturnType<typeof parts>): boolean =>
      judge.isValid(path, query);
    const before = parts(make(old).linkTo(ID, 'a.m4a'));
    const during = parts(make(young, old).linkTo(ID, 'a.m4a'));
    expect([isValidFor(make(young, old), before), isValidFor(make(young, old), during)]).toEqual([true, true]);
    expect([isValidFor(make(young), before), isValidFor(make(young), during)]).toEqual([false, true]);
  });
});
