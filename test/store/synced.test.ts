import { existsSync } from 'node:fs';
import { mkdtemp, open, rm, stat, writeFile, type FileHandle } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { ulid } from 'ulid';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createDiskFiles } from '../../store/files/disk-files.ts';

const never = new AbortController().signal;

describe('a file that is published on disk', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'tapedeck-synced-'));
  });
  afterEach(async () => {
    vi.restoreAllMocks();
    await rm(folder, { recursive: true });
  });

  it('is synced before it gets its name, and its folder afterwards', async () => {
    const source = join(folder, 'source');
    await writeFile(source, 'contents');
    const key = { recordId: ulid(), name: 'k3fP0aTz9Qw.m4a' };
    const target = join(folder, 'files', key.recordId, key.name);
    const handle = await open(source);
    const prototype = Object.getPrototypeOf(handle) as FileHandle;
    await handle.close();
    const synced: { readonly inode: number; readonly isNamed: boolean }[] = [];
    const sync: (this: FileHandle) => Promise<void> = Reflect.get(prototype, 'sync');
    vi.spyOn(prototype, 'sync').mockImplementation(async function (this: FileHandle) {
      synced.push({ inode: (await this.stat()).ino, isNamed: existsSync(target) });
      await sync.call(this);
    });
    await createDiskFiles(join(folder, 'files')).publish(source, key, never);
    expect(synced).toEqual([
      { inode: (await stat(target)).ino, isNamed: false },
      { inode: (await stat(dirname(target))).ino, isNamed: true },
    ]);
  });
});
