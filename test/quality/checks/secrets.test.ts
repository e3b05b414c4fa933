import { execFileSync } from 'node:child_process';
import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { isAllowed } from '../../../quality/checks/secrets/allowed.ts';
import { findSecrets } from '../../../quality/checks/secrets/scan.ts';
import { pastFiles, presentFiles } from '../../../quality/checks/secrets/sources.ts';
import { makeSecret } from '../../../store/key-secrets.ts';

let root: string;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'secrets-'));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

function put(path: string, content: string): void {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), content);
}

function git(...args: string[]): void {
  const who = ['-c', 'user.name=test', '-c', 'user.email=test@example.com', '-c', 'commit.gpgsign=false'];
  execFileSync('git', [...who, ...args], { cwd: root, stdio: 'pipe' });
}

/** A random text of letters and digits, made at run time: a literal one would be found in this file. */
function random(length: number): string {
  return randomBytes(length).toString('hex').slice(0, length);
}

function privateKey(): string {
  return generateKeyPairSync('ec', {
    namedCurve: 'P-256',
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  }).privateKey;
}

describe('the scan for secrets', () => {
  it.each([
    ['a key of this service', () => makeSecret().key],
    ['a secret of webhooks', () => `whsec_${randomBytes(24).toString('base64')}`],
    ['a key of the Data API', () => `AIza${random(35)}`],
    ['the value of a setting', () => `IMGNET_API_TOKEN=${random(32)}`],
    ['the value of a setting in YAML', () => `LINK_SECRET: "0${random(39)}"`],
    ['a token of GitHub', () => `ghp_${random(36)}`],
    ['a private key', privateKey],
    ['an address with a password', () => `mongodb://root:${random(12)}@db.example.com/x`],
  ])('finds %s, and does not repeat it', async (_what, make) => {
    const secret = make();
    put('docs/notes.md', `one\ntwo ${secret}\n`);
    const { found } = await findSecrets(presentFiles(root));
    expect(found.map(({ path, line }) => [path, line])).toContainEqual(['docs/notes.md', 2]);
    expect(JSON.stringify(found)).not.toContain(secret.slice(-10));
  });

  it('takes no harm from names of settings, variables and words', async () => {
    put('compose.yml', 'LINK_SECRET: ${LINK_SECRET:?a secret of 32 characters}\nRPC_TOKEN=\nRPC_TOKEN=$TOKEN_2\n');
    put('code.ts', "const { RPC_TOKEN } = config; // whsec_ and base64\nset({ RPC_TOKEN: 'x'.repeat(32) });\n");
    expect(await findSecrets(presentFiles(root))).toEqual({ read: 2, found: [] });
  });

  it('reads what git would add, and not what it ignores', async () => {
    git('init', '-q');
    put('.gitignore', 'ignored/\n');
    put('ignored/a.txt', makeSecret().key);
    put('new.txt', makeSecret().key);
    put('binary.bin', `\0${makeSecret().key}`);
    const { found } = await findSecrets(presentFiles(root));
    expect(found.map(({ path }) => path)).toEqual(['new.txt']);
  });

  it('finds in the history what was removed since', async () => {
    git('init', '-q');
    put('a b.txt', `\n\n${makeSecret().key}\n`);
    git('add', '.');
    git('commit', '-qm', 'one');
    put('a b.txt', 'nothing\n');
    git('commit', '-qam', 'two');
    expect((await findSecrets(presentFiles(root))).found).toEqual([]);
    const { read, found } = await findSecrets(pastFiles(root));
    expect([read, found.map(({ path, line }) => [path, line])]).toEqual([2, [['a b.txt', 3]]]);
    expect(found[0]?.blob).toMatch(/^[0-9a-f]{40}$/);
  });

  it('allows known values where they stand, and nowhere else', () => {
    const known = Buffer.from('0123456789'.repeat(3).slice(0, 24)).toString('base64');
    const value = `whsec_${known}`;
    expect([isAllowed('test/a.test.ts', value), isAllowed('docs/a.md', value)]).toEqual([true, false]);
    expect(isAllowed('test/a.test.ts', `${value}A`)).toBe(false);
    expect(isAllowed('test/a.ts', 'https://user:secret@host')).toBe(true);
    expect(isAllowed('test/a.ts', `https://user:${random(12)}@host`)).toBe(false);
  });
});
