import { createHash, randomBytes } from 'node:crypto';
import { mkdir, readFile, readdir, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { ulid } from 'ulid';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { PublishedFile } from '../../contract/download-record.ts';
import {
  fileKeyOf,
  MissingFileError,
  type FileEntry,
  type FileKey,
  type FileStore,
} from '../../store/files/file-store.ts';
import { stores, type StoreUnderTest } from '../helpers/file-stores.ts';

const never = new AbortController().signal;
const MIB = 1024 ** 2;

/** Record IDs and names that an altered database may contain. */
function badKeys(): readonly (readonly [string, string])[] {
  const names = [
    'secret',
    '..',
    '.',
    '',
    '../secret',
    '/etc/passwd',
    'a\0.m4a',
    'a.m4a\n',
    'a\\b.m4a',
    `${'a'.repeat(300)}.m4a`,
  ];
  const ids = ['..', '.', '', '../..', '/', `${ulid()}/..`, ulid().toLowerCase(), `${ulid()}\0`];
  return [
    ...names.map((name) => [ulid(), name] as const),
    ...ids.map((id) => [id, 'secret.txt'] as const),
    ['..', 'secret'],
  ];
}

// These tests run on each kind of store.
describe.each(Object.entries(stores))('files on %s', (_kind, open) => {
  let store: StoreUnderTest;
  let files: FileStore;
  beforeAll(async () => {
    store = await open();
    files = store.files;
    await files.check();
  });
  afterAll(() => store.close());

  const newKey = (): FileKey => ({ recordId: ulid(), name: 'k3fP0aTz9Qw.m4a' });
  const aSource = async (contents: Buffer): Promise<string> => {
    const path = join(store.folder, ulid());
    await writeFile(path, contents);
    return path;
  };
  const publish = async (key: FileKey, contents: Buffer): Promise<PublishedFile> =>
    files.publish(await aSource(contents), key, never);
  const read = async (key: FileKey, first?: number, last?: number): Promise<Buffer> => {
    const file = await files.open(key);
    if (file === undefined) throw new Error('there is no file');
    return buffer(await file.read(first === undefined ? undefined : { first, last: last ?? first }));
  };

  it.each([
    ['an empty file', 0],
    ['a few bytes', 10],
    // It has four parts.
    ['many megabytes', 25 * MIB + 7],
  ])('have the contents that were published: %s', async (_case, size) => {
    const key = newKey();
    const contents = randomBytes(size);
    const sha256 = createHash('sha256').update(contents).digest('hex');
    const file = await publish(key, contents);
    expect(file).toEqual({ name: key.name, sizeBytes: size, sha256 });
    expect(await files.has(key.recordId, file)).toBe(true);
    const stored = await files.open(key);
    expect(stored?.sizeBytes).toBe(size);
    expect(stored?.tag).toMatch(/^[\w-]{5,}$/);
    expect(Math.abs((stored?.modifiedMs ?? 0) - Date.now())).toBeLessThan(60_000);
    expect((await read(key)).equals(contents)).toBe(true);
  });

  it('can be read in ranges', async () => {
    const key = newKey();
    const contents = randomBytes(9 * MIB);
    await publish(key, contents);
    for (const [first, last] of [
      [0, 0],
      [1, 99],
      [8 * MIB - 5, 8 * MIB + 5],
      [9 * MIB - 1, 9 * MIB - 1],
    ] as const) {
      expect((await read(key, first, last)).equals(contents.subarray(first, last + 1))).toBe(true);
    }
  });

  it('release their connection when a reader stops early', async () => {
    const key = newKey();
    await publish(key, randomBytes(9 * MIB));
    for (let count = 0; count < 20; count += 1) {
      const stream = await (await files.open(key))!.read();
      stream.once('data', () => stream.destroy());
      await new Promise((resolve) => stream.once('close', resolve));
    }
    expect((await read(key)).length).toBe(9 * MIB);
  });

  it.each(badKeys())('are protected from the record ID %j with the name %j in all methods', async (recordId, name) => {
    const key = { recordId, name };
    const file = { name, sizeBytes: 6, sha256: 'x'.repeat(64) };
    const outside = join(store.folder, 'secret');
    await writeFile(outside, 'secret');
    const source = await aSource(Buffer.from('intruder'));
    const calls = [
      () => files.publish(source, key, never),
      () => files.has(recordId, file),
      () => files.open(key),
      () => files.localCopy(recordId, file, store.folder),
      () => files.remove(key),
    ];
    for (const call of calls) await expect(call()).rejects.toThrow('is not the path of a published file');
    expect(await readFile(outside, 'utf8')).toBe('secret');
    expect(await readFile(source, 'utf8')).toBe('intruder');
  });

  it('are missing before they are published, and when they differ from the expected ones', async () => {
    const key = newKey();
    const file = { name: key.name, sizeBytes: 10, sha256: 'x'.repeat(64) };
    expect(await files.open(key)).toBeUndefined();
    expect(await files.has(key.recordId, file)).toBe(false);
    await expect(files.localCopy(key.recordId, file, store.folder)).rejects.toThrow(MissingFileError);
    await publish(key, Buffer.alloc(11));
    expect(await files.has(key.recordId, file)).toBe(false);
    await expect(files.localCopy(key.recordId, file, store.folder)).rejects.toThrow(MissingFileError);
  });

  it('change their tag when they are replaced, and an earlier version cannot be read then', async () => {
    const key = newKey();
    const [older, newer] = [Buffer.alloc(MIB, 'a'), Buffer.alloc(2 * MIB, 'b')];
    await publish(key, older);
    const before = await files.open(key);
    await publish(key, newer);
    const after = await files.open(key);
    expect(after?.tag).not.toBe(before?.tag);
    expect((await read(key)).equals(newer)).toBe(true);
    await expect(before!.read()).rejects.toThrow(MissingFileError);
  });

  it('are read completely or not at all while they are replaced', async () => {
    const key = newKey();
    const versions = ['a', 'b', 'c'].map((letter) => Buffer.alloc(8 * MIB + 1, letter));
    await publish(key, versions[0]!);
    const progress = { isOver: false };
    const writing = (async () => {
      for (const contents of versions) await publish(key, contents);
      progress.isOver = true;
    })();
    let reads = 0;
    while (!progress.isOver) {
      const seen = await read(key).catch((error: unknown) => error);
      // The file was replaced between open and read.
      if (seen instanceof MissingFileError) continue;
      reads += 1;
      expect(versions.some((version) => version.equals(seen as Buffer))).toBe(true);
      // Gives the writer time on the server.
      await delay(20);
    }
    await writing;
    expect(reads).toBeGreaterThan(0);
  });

  it('are missing after their publication was cancelled', async () => {
    const key = newKey();
    const source = await aSource(randomBytes(17 * MIB));
    const stop = new AbortController();
    const publishing = files.publish(source, key, stop.signal);
    setImmediate(() => stop.abort(new Error('the job was cancelled')));
    await expect(publishing).rejects.toThrow('the job was cancelled');
    expect(await files.open(key)).toBeUndefined();
    expect(await files.removeLeftovers(Date.now() + 60_000)).toBeLessThanOrEqual(1);
    expect(await files.removeLeftovers(Date.now() + 60_000)).toBe(0);
    expect(await files.publish(source, key, never)).toMatchObject({ sizeBytes: 17 * MIB });
  });

  it('can be read at a local path', async () => {
    const key = newKey();
    const contents = randomBytes(MIB);
    const file = await publish(key, contents);
    const folder = join(store.folder, ulid());
    await mkdir(folder);
    const path = await files.localCopy(key.recordId, file, folder);
    expect((await readFile(path)).equals(contents)).toBe(true);
    expect((await stat(path)).size).toBe(MIB);
    for (const name of await readdir(folder)) expect(join(folder, name)).toBe(path);
    expect(await files.has(key.recordId, file)).toBe(true);
  });

  it('can be removed repeatedly, and when they are missing', async () => {
    const key = newKey();
    const sibling = { ...key, name: 'other.m4a' };
    const file = await publish(key, Buffer.alloc(10));
    await publish(sibling, Buffer.alloc(10));
    await files.remove(key);
    await files.remove(key);
    expect(await files.has(key.recordId, file)).toBe(false);
    expect(await files.open(sibling)).toBeDefined();
    await files.remove({ recordId: ulid(), name: 'never.m4a' });
  });

  it('are listed once each, in pages', async () => {
    const many = await open(4);
    const keys: FileKey[] = [];
    for (let record = 0; record < 10; record += 1) keys.push(newKey());
    const source = await aSource(Buffer.alloc(3));
    const rest = keys.values();
    const work = async (): Promise<void> => {
      for (const key of rest) {
        const copy = `${source}-${key.recordId}`;
        await writeFile(copy, 'abc');
        await many.files.publish(copy, key, never);
      }
    };
    await Promise.all(Array.from({ length: 8 }, work));
    const listed: FileEntry[] = [];
    let pages = 0;
    for (let after: string | undefined; ;) {
      const page = await many.files.page(after);
      listed.push(...page.entries);
      pages += 1;
      if (page.next === undefined) break;
      after = page.next;
    }
    expect(pages).toBe(3);
    expect(listed.map(({ recordId }) => recordId).sort()).toEqual(keys.map(({ recordId }) => recordId).sort());
    for (const { modifiedMs } of listed) expect(Math.abs(modifiedMs - Date.now())).toBeLessThan(120_000);
    await many.close();
  }, 120_000);
});

describe('a file store on disk', () => {
  it('does not follow a symbolic link with the name of a file', async () => {
    const { files, folder, close } = await stores.disk();
    const key = { recordId: ulid(), name: 'a.m4a' };
    const record = join(folder, 'files', key.recordId);
    await mkdir(record, { recursive: true });
    await writeFile(join(folder, 'secret'), 'secret');
    await symlink(join(folder, 'secret'), join(record, key.name));
    const file = { name: key.name, sizeBytes: 6, sha256: 'x'.repeat(64) };
    expect(await files.open(key)).toBeUndefined();
    expect(await files.has(key.recordId, file)).toBe(false);
    await expect(files.localCopy(key.recordId, file, folder)).rejects.toThrow(MissingFileError);
    expect((await files.page()).entries).toEqual([]);
    await close();
  });
});

describe('the key of a file', () => {
  it.each([
    '../../etc/passwd',
    `${ulid()}/../x.m4a`,
    `${ulid()}/.m4a`,
    `${ulid()}/a.b.m4a`,
    `${ulid()}/a/b.m4a`,
    'record/a.m4a',
    `${ulid()}/`,
    '',
  ])('cannot be parsed from %j', (path) => {
    expect(fileKeyOf(path)).toBeUndefined();
  });
});
