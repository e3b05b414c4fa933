import { execFile } from 'node:child_process';
import { mkdir, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { backUp } from '../../store/backup/backup.ts';
import { restore } from '../../store/backup/restore.ts';
import type { FileStore } from '../../store/files/file-store.ts';
import { alterations, copyOf, treeOf } from '../helpers/altered-backups.ts';
import { accept, finish, GRANTED, KEY, silent, useBackupBench } from '../helpers/backup-bench.ts';

const { root, aService } = useBackupBench();

async function aBackup(name: string): Promise<string> {
  const service = aService();
  await service.accounts.open(KEY, GRANTED);
  for (let count = 0; count < 3; count += 1) await finish(service, await accept(service));
  const folder = join(root(), name);
  await backUp({ folder, ...service, copiesFiles: true, ...silent });
  return folder;
}

it('a restore refuses a hundred altered backups, and writes nothing', async () => {
  const good = await aBackup('good');
  const service = aService();
  // The data folder of a service also has these files.
  await mkdir(join(service.dataDir, 'files'), { recursive: true });
  for (const secret of ['rpc-token', 'link-secret']) await writeFile(join(service.dataDir, secret), secret);
  const [altered, outside] = [join(root(), 'altered'), join(root(), 'outside')];
  const before = await treeOf(service.dataDir);
  const published: unknown[] = [];
  const publish: FileStore['publish'] = (...order) => {
    published.push(order);
    return service.files.publish(...order);
  };
  const refuses = fc.asyncProperty(alterations, async ({ alter }) => {
    await rm(altered, { recursive: true, force: true });
    await rm(outside, { recursive: true, force: true });
    await mkdir(outside);
    await copyOf(good, altered);
    await alter(altered, outside);
    const beside = await treeOf(outside);
    const order = { folder: altered, ...service, files: { ...service.files, publish }, ...silent };
    await expect(restore(order)).rejects.toThrow(Error);
    expect(published).toEqual([]);
    expect(await service.db.listCollections().toArray()).toEqual([]);
    expect(await treeOf(service.dataDir)).toEqual(before);
    expect(await treeOf(outside)).toEqual(beside);
  });
  await fc.assert(refuses, { numRuns: 100, seed: 30, endOnFailure: true });

  // The unaltered backup is accepted.
  await restore({ folder: good, ...service, ...silent });
  expect((await service.files.page()).entries).toHaveLength(3);
});

it('a restore accepts a symbolic link to the folder, but no pipe in it', async () => {
  const good = await aBackup('linked');
  const link = join(root(), 'latest');
  await symlink(good, link);
  const pipe = join(good, 'files', 'pipe');
  await promisify(execFile)('mkfifo', [pipe]);
  const service = aService();
  await expect(restore({ folder: link, ...service, ...silent })).rejects.toThrow('pipe is no plain file');
  await rm(pipe);
  await restore({ folder: link, ...service, ...silent });
  expect((await service.files.page()).entries).toHaveLength(3);
});

it('a restore does not publish a file that was replaced after it was checked', async () => {
  const folder = await aBackup('replaced');
  const service = aService();
  let calls = 0;
  const replacing: FileStore['page'] = async (after) => {
    // The second call follows the check.
    calls += 1;
    if (calls === 2) {
      for (const [path, contents] of await treeOf(join(folder, 'files'))) {
        if (path.endsWith('.m4a')) await writeFile(path, contents.replace('media', 'MEDIA'));
      }
    }
    return service.files.page(after);
  };
  const files = { ...service.files, page: replacing };
  await expect(restore({ folder, ...service, files, ...silent })).rejects.toThrow('of the copy is damaged');
  expect((await service.files.page()).entries).toEqual([]);
  expect(await service.db.collection('records').countDocuments()).toBe(0);
});

it('a backup refuses a record whose ID or file name leads out of its folder', async () => {
  for (const [id, name] of [
    ['..', 'manifest.json'],
    ['01JD5Z3K6VQ0W8R9T2X4Y6B8CD', '../../x'],
  ] as const) {
    const service = aService();
    const files = [{ name, sizeBytes: 1, sha256: '0'.repeat(64) }];
    await service.db.collection<{ _id: string }>('records').insertOne({ _id: id, status: 'success', files } as never);
    const folder = join(root(), `of-${service.db.databaseName}`);
    const order = { folder, ...service, copiesFiles: true, ...silent };
    await expect(backUp(order)).rejects.toThrow(/is not the id of a record|is no published file/);
  }
});
